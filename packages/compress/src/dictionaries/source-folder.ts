import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { showValue, withCode } from '@fw/options'
import { type Dictionary, dictionaryOf, isRaw, keyOf } from './dictionary.ts'
import { stemOf } from './file-name.ts'

/** Compressed copies of files. Clients use the content of a response before it is encoded. */
const SIDECAR = /\.(?:br|gz|zst)$/

/** A file of the folder. */
export interface SourceDictionary extends Dictionary {
  /** The names of the files with this content, as `stemOf` returns them. */
  readonly stems: ReadonlySet<string>
}

interface SourceFile {
  readonly path: string
  readonly stem: string
  readonly size: number
  readonly modifiedMs: number
}

/**
 * Reads the files of a folder and its subfolders into memory, the most recently modified first. Skips files that exceed the rest
 * of `maxBytes`, empty files and sidecars. Skips symbolic links, and files and folders whose names begin with a dot. Skips files that a
 * decoder would parse as a trained dictionary.
 *
 * @param suffix The end of the file names to read, such as `.js`
 * @returns The dictionaries by `keyOf` their digest
 * @throws {Error} if the folder or a file in it cannot be read
 */
export function readSource(
  source: string | URL,
  suffix: string,
  maxBytes: number,
): ReadonlyMap<string, SourceDictionary> {
  try {
    return dictionariesIn(filesBelow(source, suffix), maxBytes)
  } catch (error) {
    const got = showValue(source instanceof URL ? source.href : source)
    const message = `dictionaries: option "source" must be a readable directory, got ${got}. Create it, or correct the path.`
    throw withCode('FW_MISSING_DIRECTORY', new Error(message, { cause: error }))
  }
}

function dictionariesIn(files: readonly SourceFile[], maxBytes: number): ReadonlyMap<string, SourceDictionary> {
  const held = new Map<string, Dictionary & { readonly stems: Set<string> }>()
  let left = maxBytes
  for (const { path, size, stem } of files) {
    if (size > left) continue
    const bytes = readFileSync(path)
    // A deployment can replace the file between the two calls.
    if (bytes.byteLength > left || !isRaw(bytes)) continue
    const dictionary = dictionaryOf(bytes)
    const key = keyOf(dictionary.digest)
    const known = held.get(key)
    if (known !== undefined) {
      known.stems.add(stem)
      continue
    }
    held.set(key, { ...dictionary, stems: new Set([stem]) })
    left -= bytes.byteLength
  }
  return held
}

/** Returns the files, the most recently modified first. */
function filesBelow(source: string | URL, suffix: string): readonly SourceFile[] {
  const folder = source instanceof URL ? fileURLToPath(source) : source
  const files: SourceFile[] = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(suffix) || SIDECAR.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const stem = stemOf(entry.name)
    if (stem === undefined || isHidden(relative(folder, path))) continue
    const { size, mtimeMs } = statSync(path)
    if (size > 0) files.push({ path, stem, size, modifiedMs: mtimeMs })
  }
  return files.toSorted((a, b) => b.modifiedMs - a.modifiedMs)
}

/** Reports whether a file or one of its folders is hidden: `.env` and `.git` can contain secrets. */
function isHidden(path: string): boolean {
  return path.split(sep).some((name) => name.startsWith('.'))
}
