/** Writes the source text of the writer thread. The compiler checks the files that the text is generated from. */
import { readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The module that contains the text. */
export const EMBEDDED: URL = new URL('../src/async/worker-source.ts', import.meta.url)

/** Returns the up-to-date content of that module. */
export function embedWorker(): string {
  const parts = ['drain.ts', 'worker.ts'].map((name) => {
    const source = readFileSync(new URL(`../src/async/${name}`, import.meta.url), 'utf8')
    return stripTypeScriptTypes(source)
      .replace(/^import .*$/gm, '')
      .replace(/^export /gm, '')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/^ *\/\/.*$/gm, '')
      .replace(/[ ;]+$/gm, '')
      .replace(/\n{2,}/g, '\n')
      .trim()
  })
  const text = ["'use strict'", ...parts].join('\n')
  return `// Made by scripts/embed-worker.ts from drain.ts and worker.ts.
export const WORKER_SOURCE = \`${text.replace(/[\\`$]/g, '\\$&')}\`
`
}

if (import.meta.main) writeFileSync(fileURLToPath(EMBEDDED), embedWorker())
