/**
 * Rejects a release whose packages users could not trace to their source. Runs before `pnpm release`, and before any
 * other command that publishes a package. Prints the commands that fix the problems and exits with code 1. A dry run
 * passes without a token, and only warns of a missing repository.
 */
import { join, relative } from 'node:path'
import { ancestorCommands, isDryRun } from './packages/dry-run.ts'
import { publishedPackages, readManifest } from './packages/published-package.ts'
import { checkRelease, type ReleaseManifest } from './packages/release-rules.ts'

const root = join(import.meta.dirname, '..')
const packages = publishedPackages(root).map(({ folder }) => ({
  directory: relative(root, folder),
  manifest: readManifest(folder) as ReleaseManifest,
}))
const { errors, warnings } = checkRelease(packages, process.env, isDryRun(process.env, ancestorCommands()))
if (errors.length > 0) {
  process.stderr.write(`Cannot release:\n${errors.map((error) => `- ${error}\n`).join('')}`)
  process.exitCode = 1
} else if (warnings.length > 0) {
  // Every package runs this script, so keep the warning to one line.
  process.stderr.write(
    `A real release would be refused: ${warnings.length} packages have no repository. See CONTRIBUTING.md\n`,
  )
}
