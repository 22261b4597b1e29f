import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const SCRIPT = fileURLToPath(new URL('check-commits.ts', import.meta.url))
/** Omits git's environment variables, with which a command would use the repository whose hook runs the tests. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))

interface Repository {
  readonly path: string
  /** Runs git and returns its output. */
  readonly git: (...args: readonly string[]) => string
  /** Makes an empty commit for each message. */
  readonly commit: (...messages: readonly string[]) => void
  /** Runs the check and returns the lines that it prints. */
  readonly check: (...args: readonly string[]) => { readonly status: number | null; readonly lines: readonly string[] }
}

function open(path: string): Repository {
  const git = (...args: readonly string[]): string =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'core.hooksPath=/dev/null', ...args],
      {
        cwd: path,
        env,
        encoding: 'utf8',
        stdio: 'pipe',
      },
    )
  return {
    path,
    git,
    commit(...messages) {
      for (const message of messages) git('commit', '--quiet', '--allow-empty', '-m', message)
    },
    check(...args) {
      const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { cwd: path, env, encoding: 'utf8' })
      return { status, lines: stderr.split('\n').filter((line) => line !== '') }
    },
  }
}

/** Creates a repository whose first commit is older than the check, and whose second commit adds it. */
function repository(): Repository {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'commits-'))
  onTestFinished(() => folder.remove())
  const created = open(folder.path)
  created.git('init', '--quiet', '--initial-branch=main')
  created.commit('Old commits have any form.')
  mkdirSync(join(folder.path, 'scripts'))
  writeFileSync(join(folder.path, 'scripts/check-commits.ts'), '')
  created.git('add', '.')
  created.commit('Added the check')
  return created
}

describe('check-commits', () => {
  it('accepts messages in the documented form', () => {
    const { commit, check } = repository()
    commit('core: add a limit', 'http1, http3: reject a second Host\n\nRFC 9110 §7.2 allows one.')
    expect(check()).toEqual({ status: 0, lines: [] })
  })

  it('reports commits in a different form, except merges and commits before the check', () => {
    const { git, commit, check } = repository()
    git('switch', '--quiet', '--create', 'topic')
    commit('core: added a limit', 'core: add a limit.')
    git('switch', '--quiet', 'main')
    commit('core: keep a limit')
    git('merge', '--quiet', '--no-ff', '-m', 'Merged.', 'topic')
    expect(check()).toEqual({
      status: 1,
      lines: [
        expect.stringMatching(/^Commit [0-9a-f]+: the subject ends with a period/),
        expect.stringMatching(/^Commit [0-9a-f]+: "added" is not an imperative/),
      ],
    })
  })

  it('checks the commits since origin/main, or since the argument', () => {
    const { git, commit, check } = repository()
    commit('Before')
    git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    commit('core: adds a limit')
    expect(check()).toEqual({ status: 1, lines: [expect.stringContaining('"adds"')] })
    expect(check('HEAD')).toEqual({ status: 0, lines: [] })
  })

  it('checks the last 20 commits if origin/main contains every commit', () => {
    const { git, commit, check } = repository()
    commit('Out of reach', 'core: adds a limit', ...Array<string>(19).fill('core: add a limit'))
    git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    expect(check()).toEqual({ status: 1, lines: [expect.stringContaining('"adds"')] })
  })

  it('checks the last 20 commits without origin/main', () => {
    const { commit, check } = repository()
    commit('Out of reach', ...Array<string>(20).fill('core: add a limit'))
    expect(check()).toEqual({ status: 0, lines: [] })
  })

  it('checks the commits in a shallow clone', () => {
    const { path, commit, git } = repository()
    commit('core: adds a limit', 'The oldest commit of the clone', 'core: uses the limit')
    git('clone', '--quiet', '--depth=2', `file://${path}`, 'clone')
    const { check } = open(join(path, 'clone'))
    expect(check('HEAD~1')).toEqual({ status: 1, lines: [expect.stringContaining('"uses"')] })
    git('clone', '--quiet', '--depth=1', `file://${path}`, 'smallest')
    expect(open(join(path, 'smallest')).check()).toEqual({ status: 0, lines: [] })
  })

  it.each([
    ['core: add a limit\n\n# On branch main\n', []],
    ['# On branch main\ncore: add a limit\n# ------------------------ >8 ------------------------\ndiff --git a b', []],
    ['fixup! core: add a limit', []],
    ['core: adds a limit', [expect.stringContaining('The message: "adds"')]],
  ])('checks the message %j', (message, lines) => {
    const { path, check } = repository()
    writeFileSync(join(path, 'message'), message)
    expect(check('--message', 'message').lines).toEqual(lines)
  })
})
