const NAMES = ['h1', 'h2', 'h3', 'bad', 'warn', 'muted', 'line', 'text', 'panel', 'you'] as const

/** The colors of the theme, for canvases. */
export type Colors = Record<(typeof NAMES)[number], string>

/** The current colors. `readColors` updates them when the theme changes. */
export const colors: Colors = Object.fromEntries(NAMES.map((name) => [name, '#000'])) as Colors

/** Updates `colors` from the style sheet. */
export function readColors(): void {
  const style = getComputedStyle(document.documentElement)
  for (const name of NAMES) colors[name] = style.getPropertyValue(`--${name}`).trim()
}
