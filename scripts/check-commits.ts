// Fails if a commit message does not have the form in CONTRIBUTING.md, "Prose". Checks the commits since a base, which is
// origin/main or the argument. If origin/main does not exist or contains every commit, checks the last 20. Merges and commits
// from before this script are exempt. `--message <file>` checks the message in a file instead, for .githooks/commit-msg.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { problemsOfMessage } from './prose/commit-message.ts'

const DEFAULT_COUNT = 20
const SCRIPT = 'scripts/check-commits.ts'
/** Everything below this line is the diff that `git commit --verbose` adds to the message. */
const SCISSORS = /^# -+ >8 -+\n[^]*/m

const [first, file] = process.argv.slice(2)
const messages = first === '--message' ? [['The message', messageIn(String(file))]] : messagesSince(first)
const problems = messages.flatMap(([name, text = '']) =>
  problemsOfMessage(text).map((problem) => `${name}: ${problem}`),
)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

/** Returns the message without git's comments, which git removes later. */
function messageIn(path: string): string {
  const text = readFileSync(path, 'utf8')
    .replace(SCISSORS, '')
    .replaceAll(/^#.*\n?/gm, '')
    .trim()
  // `git rebase --autosquash` replaces these messages.
  return text.replace(/^(?:fixup|squash|amend)! /, '')
}

/** Returns the name and message of each commit to check. A shallow clone contains only some commits, a source archive none. */
function messagesSince(argument: string | undefined): string[][] {
  if (!existsSync('.git')) return []
  if (argument !== undefined) return messagesIn(`^${argument}`)
  const hasMain = git('branch', '--remotes', '--list', 'origin/main').trim() !== ''
  const unpublished = hasMain ? messagesIn('^origin/main') : []
  return unpublished.length > 0 ? unpublished : messagesIn(`--max-count=${DEFAULT_COUNT}`)
}

/** Returns the name and message of each commit in a range of `git log`. */
function messagesIn(range: string): string[][] {
  // In a shallow clone, the oldest commit appears to add every file, so it is exempt.
  const [start] = git('log', '--diff-filter=A', '--format=%H', '--', SCRIPT).split('\n')
  const exempt = start === undefined || start === '' ? [] : [`^${start}`]
  return git('log', '--no-merges', '-z', '--format=%h %B', 'HEAD', range, ...exempt)
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => [`Commit ${entry.slice(0, entry.indexOf(' '))}`, entry.slice(entry.indexOf(' ') + 1).trim()])
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}
