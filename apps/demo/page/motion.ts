const reduced = matchMedia('(prefers-reduced-motion: reduce)')
/** Matches touch screens, which are assumed to belong to phones. There, half the frames need half the energy. */
const coarse = matchMedia('(pointer: coarse)')
const COARSE_FRAME_MS = 1000 / 30
/** Longest step between two frames, so that dots continue where they were after a pause. */
const MAX_STEP_S = 0.05

/** Reports whether the visitor prefers reduced motion. */
export function isStill(): boolean {
  return reduced.matches
}

/** Calls `draw` for each frame with the seconds since the last frame. Browsers draw no frames while the page is hidden. */
export function eachFrame(draw: (seconds: number) => void): void {
  let before = performance.now()
  const frame = (now: number): void => {
    requestAnimationFrame(frame)
    if (coarse.matches && now - before < COARSE_FRAME_MS - 1) return
    const seconds = Math.min(MAX_STEP_S, (now - before) / 1000)
    before = now
    draw(seconds)
  }
  requestAnimationFrame(frame)
}
