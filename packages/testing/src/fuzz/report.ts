import { visibleJson } from './corpus.ts'
import type { Finding } from './hunt.ts'

/** The maximum length of the displayed input or error. The corpus file contains the whole input. */
const MAX_SHOWN = 2000

/**
 * Describes a finding: the failure, the minimized input, and the command that reproduces it.
 *
 * @param file The path to the file with the input, if it was written
 */
export function describeFinding(name: string, finding: Finding, file?: string): string {
  const { text, input, seed, foundLength } = finding
  const length = JSON.stringify(input).length
  const from = length < foundLength ? `, minimized from ${foundLength} characters` : ''
  return [
    `${name}: finding at seed ${seed}`,
    indent(shorten(text)),
    `  Input (${length} characters of JSON${from}):`,
    indent(shorten(visibleJson(input))),
    ...(file === undefined ? [] : [`  Wrote ${file}. The tests replay it from now on.`]),
    `  Reproduce it: pnpm fuzz ${name} --seed ${seed}`,
  ].join('\n')
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
