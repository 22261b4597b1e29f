/**
 * Rejects a release if users could not trace the packages to their source. Runs before `pnpm release`, and before any other
 * command that publishes a package. Prints the commands that fix the problems and exits with code 1.
 */
import { join, relative } from 'node:path'
import { publishedPackages, readManifest } from './packages/published-package.ts'
import { checkRelease, type ReleaseManifest } from './packages/release-rules.ts'

const root = join(import.meta.dirname, '..')
const packages = publishedPackages(root).map(({ folder }) => ({
  directory: relative(root, folder),
  manifest: readManifest(folder) as ReleaseManifest,
}))
const problems = checkRelease(packages, process.env)
if (problems.length > 0) {
  process.stderr.write(`Cannot release:\n${problems.map((problem) => `- ${problem}\n`).join('')}`)
  process.exitCode = 1
}
