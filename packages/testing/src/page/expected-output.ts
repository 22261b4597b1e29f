import { stripVTControlCharacters } from 'node:util'

/** Command of a `console` block, and the output that the page shows. */
export interface ConsoleCommand {
  readonly command: string
  /** Lines of output; empty if the page does not show it. */
  readonly output: readonly string[]
}

/** Returns the commands of a `console` block, which begin with `$ `. A final backslash continues a command. */
export function commandsOf(code: string): ConsoleCommand[] {
  const commands: { command: string; output: string[] }[] = []
  for (const line of code.trimEnd().split('\n')) {
    const last = commands.at(-1)
    if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: [] })
    else if (last !== undefined && last.output.length === 0 && last.command.endsWith('\\')) last.command += `\n${line}`
    else last?.output.push(line)
  }
  return commands
}

/** Returns the commands of an `sh` block, one per line, without comments. */
export function scriptOf(code: string): string[] {
  const lines = code.replaceAll('\\\n', ' ').split('\n')
  return lines.map((line) => line.replace(/(?:^|\s+)#\s.*$/, '').trim()).filter((line) => line !== '')
}

/** Time of a log record. */
const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}/
/** Log record, which a server can print between two `console.log` calls. */
const RECORD = new RegExp(`^\\[${TIME.source}\\] \\[.*\\n`, 'gm')

/**
 * Reports whether output equals the text on a page. `[…]` matches any text, or any lines if it is alone on a line. The time in
 * a record matches any time.
 */
export function matchesOutput(output: string, expected: readonly string[]): boolean {
  return new RegExp(`^${patternOf(expected)}\\s*$`).test(plain(output))
}

/** Reports whether the output of a program that keeps running contains the lines on a page. */
export function containsOutput(output: string, expected: readonly string[]): boolean {
  return expected.every((line) => new RegExp(`^${patternOf([line])}$`, 'm').test(plain(output)))
}

/** Returns the expected output of the `console.log` calls that have a comment, keyed by line number counted from 0. */
export function loggedComments(code: string): Map<number, string> {
  const found = new Map<number, string>()
  const lines = code.split('\n')
  for (const [at, line] of lines.entries()) {
    const [, call, comment] = /^\s*(console\.log\(.*\))(?: \/\/ (.+))?$/.exec(line) ?? []
    if (call === undefined) continue
    const next = /^\s*\/\/ (.+)$/.exec(lines[at + 1] ?? '')?.[1]
    const expected = comment ?? next
    if (expected !== undefined) found.set(at, expected)
  }
  return found
}

/** Makes each of these `console.log` calls first print its line number. */
export function withLineNumbers(code: string, lines: Iterable<number>): string {
  const numbered = new Set(lines)
  return code
    .split('\n')
    .map((line, at) => (numbered.has(at) ? line.replace('console.log(', `console.log('@${at}@', `) : line))
    .join('\n')
}

/** Returns the output of each numbered call, without log records. Separates the output of repeated calls with commas. */
export function outputByLine(output: string): Map<number, string> {
  const found = new Map<number, string[]>()
  for (const [, at, text = ''] of plain(output)
    .replaceAll(RECORD, '')
    .matchAll(/^@(\d+)@ ?([^]*?)(?=^@\d+@|$(?![^]))/gm)) {
    found.set(Number(at), [...(found.get(Number(at)) ?? []), text.trimEnd()])
  }
  return new Map(Array.from(found, ([at, texts]) => [at, texts.join(', ')]))
}

function patternOf(expected: readonly string[]): string {
  const lines = expected.map((line) => {
    if (line === '[…]') return '(?:.*\\n)*?.*'
    return line
      .split('[…]')
      .map((text) =>
        text
          .split(TIME)
          .map((part) => RegExp.escape(part))
          .join(TIME.source),
      )
      .join('.*?')
  })
  return lines.join('\\n')
}

function plain(output: string): string {
  return stripVTControlCharacters(output).replaceAll('\r\n', '\n')
}
