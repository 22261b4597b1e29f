import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { exportedNames } from './exported-names.ts'

/**
 * Registers one test per entry of a package. The test checks that the README or another page names each export as code.
 *
 * @param readme Path to the README
 * @param entries Names of files in the `src` folder next to the README, without `.ts`
 * @param pages Paths to other pages
 * @throws {Error} if an entry has no exports
 */
export function namesEveryExport(readme: string, entries: readonly string[], pages: readonly string[] = []): void {
  const text = [readme, ...pages].map((path) => readFileSync(path, 'utf8')).join('\n')
  const code = Array.from(text.matchAll(/```[^]*?```|`[^`\n]+`/g), ([found]) => found.match(/[A-Za-z_]\w*/g) ?? [])
  const named = new Set(code.flat())
  for (const entry of entries) {
    const names = exportedNames(readFileSync(join(dirname(readme), 'src', `${entry}.ts`), 'utf8'))
    if (names.length === 0) throw new Error(`src/${entry}.ts next to ${readme} has no exports`)
    it(`names every export of ${entry}.ts in the README or another page`, () => {
      expect(names.filter((name) => !named.has(name))).toEqual([])
    })
  }
}
