// The profiles that are side by side on the page: what it remembers of each, and which of them it shows. The address
// is that of the one that is shown, and says which it is.
import type { AddressBar, AppState } from "./app_state";
import { Store, type Readable } from "./store";
import { readUrlState } from "./url_state";

export class ProfileStates {
  readonly all: readonly AppState[];
  readonly #shown: Store<number>;

  /** `make`: the state of a profile, which is given its own address bar. */
  constructor(
    private readonly count: number,
    private readonly bar: AddressBar,
    make: (profile: number, bar: AddressBar) => AppState,
  ) {
    this.#shown = new Store(this.#inAddress());
    this.all = Array.from({ length: count }, (_, profile) => make(profile, this.#barOf(profile)));
  }

  /** The number of the profile that is shown. */
  get shown(): Readable<number> {
    return this.#shown;
  }

  get current(): AppState {
    return this.all[this.#shown.get()]!;
  }

  /** Shows another profile, as it was left. Back in the browser leads to the one before. */
  show(profile: number): void {
    if (profile === this.#shown.get()) return;
    this.#shown.set(profile);
    this.bar.write(this.current.hash(), true);
  }

  /** Takes over what the address bar says, after the browser went back or forward. */
  readAddress(): void {
    this.#shown.set(this.#inAddress());
    this.current.readAddress();
  }

  #inAddress(): number {
    const { profile } = readUrlState(this.bar.read());
    return profile < this.count ? profile : 0;
  }

  /** What is not shown finds nothing in the address and writes nothing there. */
  #barOf(profile: number): AddressBar {
    const isShown = () => this.#shown.get() === profile;
    return {
      read: () => (isShown() ? this.bar.read() : ""),
      write: (hash, newEntry) => isShown() && this.bar.write(hash, newEntry),
    };
  }
}
