// Types of the generated profile, for the tests.
export type MockSlice = [start: number, duration: number, name: number, colour: number];
export interface MockTrack {
  id: number;
  kind: string;
  lanes: number;
  laneSlices: MockSlice[][];
}
export interface MockProfile {
  span: number;
  names: string[];
  tracks: MockTrack[];
}
export function randomNumbers(seed: number): () => number;
export function makeProfile(options?: {
  threads?: number;
  lanes?: number;
  streams?: number;
  perLane?: number;
  span?: number;
  seed?: number;
}): MockProfile;
export function encodeTile(track: { laneSlices: MockSlice[][] }, level: number, index: number): ArrayBuffer;
export function encodeActivity(level: number, index: number): ArrayBuffer;
export function encodeCounter(level: number, index: number): ArrayBuffer;
