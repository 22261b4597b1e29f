/**
 * Moves positions apart and keeps their order. A position moves right, or left if there is no room on the right.
 *
 * @param places The desired positions, sorted
 * @param gap The minimum distance between two positions
 * @param end The maximum position. If the positions do not fit, the first ones become negative
 */
export function apart(places: readonly number[], gap: number, end: number): readonly number[] {
  const moved: number[] = []
  for (const place of places) moved.push(Math.max(place, (moved.at(-1) ?? -Infinity) + gap))
  let limit = end
  for (let n = moved.length - 1; n >= 0; n--) {
    moved[n] = Math.min(moved[n] ?? 0, limit)
    limit = (moved[n] ?? 0) - gap
  }
  return moved
}
