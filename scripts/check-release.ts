/**
 * Refuses a release whose packages users cannot trace to their source. Runs before `pnpm release`, and before each package
 * is published by any other command. Prints what to type, and ends with exit code 1.
 */
import { join, relative } from 'node:path'
import { publishedPackages, readManifest } from './packages/published-package.ts'
import { checkRelease, type ReleaseManifest } from './packages/release-rules.ts'

const root = join(import.meta.dirname, '..')
const packages = publishedPackages(root).map(({ folder }) => ({
  directory: relative(root, folder),
  manifest: readManifest(folder) as ReleaseManifest,
}))
const faults = checkRelease(packages, process.env)
if (faults.length > 0) {
  process.stderr.write(`Cannot release:\n${faults.map((fault) => `- ${fault}\n`).join('')}`)
  process.exitCode = 1
}
