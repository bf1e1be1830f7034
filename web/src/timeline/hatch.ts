// Hatching: what one of two runs alone has, for eyes that cannot tell its colour.

/** Pixels from one line to the next. */
export const HATCH_STEP = 6;
export const HATCH_STRENGTH = 0.45;

/** Whether a line of the hatching goes through a pixel; the lines hang together over neighbouring rectangles. */
export const isHatched = (x: number, y: number, step = HATCH_STEP): boolean => (x + y) % step === 0;

/** Draws lines over the pixels of a lane that `isOver` names, from row `top` to `bottom` of a picture of this width.
 * `darker` is the colour of a line over a colour. */
export function hatchLane(
  pixels: Uint32Array,
  width: number,
  height: number,
  top: number,
  bottom: number,
  step: number,
  isOver: (pixel: number) => boolean,
  darker: (colour: number) => number,
): void {
  const [first, last] = [Math.max(0, top), Math.min(height, bottom)];
  for (let x = 0; x < width; ++x) {
    if (!isOver(x)) continue;
    for (let y = first; y < last; ++y) {
      if (isHatched(x, y, step)) pixels[y * width + x] = darker(pixels[y * width + x]!);
    }
  }
}

/** Diagonal lines over a rectangle, CSS pixels. */
export function hatch(
  context: CanvasRenderingContext2D,
  left: number,
  top: number,
  width: number,
  height: number,
  colour: string,
): void {
  if (width < 1 || height < 1) return;
  context.save();
  context.globalAlpha *= HATCH_STRENGTH;
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.beginPath();
  // From the upper right to the lower left, as isHatched has them.
  const first = Math.floor((left + top) / HATCH_STEP);
  const last = Math.ceil((left + width + top + height) / HATCH_STEP);
  for (let i = first; i <= last; ++i) {
    context.moveTo(i * HATCH_STEP - top, top);
    context.lineTo(i * HATCH_STEP - top - height, top + height);
  }
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.stroke();
  context.restore();
}
