import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Random } from './random.ts'

/**
 * One parser and the rules that its results must follow. The file `packages/<package>/fuzz/<name>.ts` exports the target as
 * default.
 *
 * JSON must be able to represent an `Input`, so bytes are a string with one character per byte.
 */
export interface FuzzTarget<Input> {
  /** Description of the input, with the standard that defines it. */
  readonly parser: string
  /** Generates an input that depends only on the random numbers. Most inputs should be almost valid. */
  generate(random: Random): Input
  /** Throws if the parser breaks a rule on this input. The result must depend only on the input. */
  check(input: Input): void | Promise<void>
  /** Limits the CPU time of one check, in milliseconds. Default 250, which is more than a linear parser ever needs. */
  readonly maxCpuMs?: number
}

/** The file of a target. */
export interface TargetFile {
  readonly name: string
  /** The absolute path. */
  readonly path: string
  /** The absolute path of its corpus folder, which need not exist. */
  readonly corpus: string
}

/** Returns the targets in a folder named `fuzz`, ordered by name. Subfolders contain parts of the targets. */
export function targetsIn(folder: string): TargetFile[] {
  return globSync('*.ts', { cwd: folder })
    .toSorted()
    .map((file) => targetAt(join(folder, file)))
}

/** Returns the targets of all packages below `root`, ordered by name. */
export function findTargets(root: string): TargetFile[] {
  return globSync('packages/*/fuzz', { cwd: root })
    .flatMap((folder) => targetsIn(join(root, folder)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Loads the target that a file exports. */
export async function loadTarget(path: string): Promise<FuzzTarget<unknown>> {
  const { default: target } = (await import(pathToFileURL(path).href)) as { default: FuzzTarget<unknown> }
  return target
}

function targetAt(path: string): TargetFile {
  const name = basename(path, '.ts')
  return { name, path, corpus: join(dirname(path), 'corpus', name) }
}
