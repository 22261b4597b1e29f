import { createInterface } from 'node:readline/promises'
import { Cancelled } from './usage-error.ts'

/** Terminal that asks the questions. */
export interface Terminal extends Disposable {
  /** Returns the line that the user typed, without surrounding whitespace. @throws {Cancelled} after Ctrl-C or Ctrl-D */
  ask(question: string): Promise<string>
  /** Shows a line. */
  say(line: string): void
}

/** Opens this process's terminal. */
export function openTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Terminal {
  const lines = createInterface({ input, output })
  const closed = new AbortController()
  lines.on('close', () => closed.abort())
  return {
    async ask(question) {
      try {
        return (await lines.question(question, { signal: closed.signal })).trim()
      } catch (cause) {
        throw new Cancelled('The questions were cancelled', { cause })
      }
    },
    say: (line) => void output.write(`${line}\n`),
    [Symbol.dispose]: () => lines.close(),
  }
}
