declare module "*.css";

/** In workers, whose library of types cannot be had together with that of pages. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
