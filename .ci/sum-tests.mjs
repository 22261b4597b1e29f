/**
 * Adds up the `test-report.json` of every package that has tests and of `scripts`, names what failed and why, and prints
 * `N passed, N failed` as its last line.
 * A package without a report, and a file that failed outside of its tests (it could not be loaded, a hook threw),
 * count as one failed test each.
 * Runs on any Node, as it has to work when nothing could be installed.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const root = resolve(import.meta.dirname ?? '.', '..')
let passed = 0
let failed = 0

for (const folder of testedFolders()) {
  const path = join(root, folder, 'test-report.json')
  if (!existsSync(path)) {
    console.log(`${folder}: no report`)
    failed += 1
    continue
  }
  const report = JSON.parse(readFileSync(path, 'utf8'))
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  )
  const counts = { passed: report.numPassedTests, failed: report.numFailedTests + broken.length }
  // Nothing to run, or an error that belongs to no file.
  if (!report.success && counts.failed === 0) counts.failed = 1
  const others = report.numTotalTests - report.numPassedTests - report.numFailedTests
  console.log(`${folder}: ${counts.passed} passed, ${counts.failed} failed${others > 0 ? `, ${others} not run` : ''}`)
  for (const file of report.testResults) reportFailures(folder, file)
  passed += counts.passed
  failed += counts.failed
}

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/** One line for the test and one for the reason: the end of a long output is the part that is kept and read. */
function reportFailures(folder, file) {
  const path = relative(join(root, folder), file.name)
  const failures = file.assertionResults.filter((test) => test.status === 'failed')
  for (const test of failures) {
    console.log(`  FAILED ${path}: ${test.fullName}\n    ${firstLines(test.failureMessages.join('\n'))}`)
  }
  if (file.status === 'failed' && failures.length === 0) {
    console.log(`  FAILED ${path}\n    ${firstLines(file.message ?? '')}`)
  }
}

function firstLines(message) {
  return stripVTControlCharacters(message).split('\n').slice(0, 4).join(' | ').slice(0, 400)
}

function testedFolders() {
  const packages = ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name)))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .filter((folder) => 'test' in (JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).scripts ?? {}))
  return [...packages, 'scripts', 'examples']
}
