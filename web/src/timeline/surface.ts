// The pixels of a canvas as an array of 32-bit numbers. Rows are painted as one scanline and copied down.
export class Surface {
  readonly canvas = document.createElement("canvas");
  #context = this.canvas.getContext("2d", { alpha: false })!;
  #image = new ImageData(1, 1);
  pixels = new Uint32Array(this.#image.data.buffer);
  width = 1;
  height = 1;

  /** In device pixels. */
  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.width = this.canvas.width = Math.max(1, width);
    this.height = this.canvas.height = Math.max(1, height);
    this.#image = new ImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.#image.data.buffer);
  }

  /** Copies a scanline into the rows from `top` to `bottom`, as far as they are on the canvas. */
  fillRows(line: Uint32Array, top: number, bottom: number): void {
    const last = Math.min(this.height, bottom);
    for (let y = Math.max(0, top); y < last; ++y) this.pixels.set(line, y * this.width);
  }

  /** As fillRows, but of the line only as many of the lowest rows as `rows` has for each pixel; above them `above`. */
  fillColumns(line: Uint32Array, above: Uint32Array, rows: Uint16Array, top: number, bottom: number): void {
    const last = Math.min(this.height, bottom);
    for (let y = Math.max(0, top); y < last; ++y) {
      const row = bottom - y;
      const begin = y * this.width;
      for (let p = 0; p < line.length; ++p) this.pixels[begin + p] = rows[p]! >= row ? line[p]! : above[p]!;
    }
  }

  show(): void {
    this.#context.putImageData(this.#image, 0, 0);
  }

  /** A number that is the same for the same picture above a row. FNV-1a over the pixels; no text is among them. */
  hash(bottom: number): string {
    let hash = 0x811c9dc5;
    for (const pixel of this.pixels.subarray(0, bottom * this.width)) hash = Math.imul(hash ^ pixel, 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, "0");
  }
}
