import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of a corpus. */
interface CorpusFile {
  /** Description of the failure for readers. */
  readonly found: string
  readonly input: unknown
}

/** Returns the names of the files in a corpus. A target without findings has no files. */
export function corpusFiles(folder: string): string[] {
  return globSync('*.json', { cwd: folder }).toSorted()
}

/** Returns the input in a file of a corpus. */
export function readCorpusFile(folder: string, file: string): unknown {
  return (JSON.parse(readFileSync(join(folder, file), 'utf8')) as CorpusFile).input
}

/**
 * Adds an input to a corpus, which the tests replay from then on.
 *
 * @returns The path of the file, which depends only on the input
 */
export function writeCorpusFile(folder: string, { found, input }: CorpusFile): string {
  const hash = createHash('sha256').update(JSON.stringify(input)).digest('hex')
  const path = join(folder, `${hash.slice(0, 12)}.json`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, `${visibleJson({ found, input })}\n`)
  return path
}

/** Returns JSON in printable ASCII, so every character is visible. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
