import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readmeBlocks } from '../packages/testing/src/readme-blocks.ts'

const ROOT = join(import.meta.dirname, '..')

/** A program, or one TypeScript block on a page. */
interface Program {
  /** Path, followed by the first line of a block: `README.md:98`. */
  readonly name: string
  readonly code: string
}

/** Programs that mount an access log without a `Server` that could set `trustProxy`, each with the reason. */
const WITHOUT_SERVER: Readonly<Record<string, string>> = {
  'apps/bench/src/access-log/in-process.ts': 'measures an App without a server, so its requests have no peer address',
}

/** Returns the programs and pages in the repository, without its tests, fuzz targets and package code. */
function programs(): Program[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.md'], { cwd: ROOT })
  const paths = String(listed).trim().split('\n')
  return paths
    .filter((path) => !/\.test\.ts$|^packages\/[^/]+\/(src|test|fuzz)\/|^scripts\/|(^|\/)CHANGELOG\.md$/.test(path))
    .flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      if (path.endsWith('.ts')) return [{ name: path, code: text }]
      return readmeBlocks(text).map(({ code, line }) => ({ name: `${path}:${line}`, code }))
    })
}

function mountsAccessLog({ code }: Program): boolean {
  return /\baccessLog\(|import \{[^}]*\blogger\b[^}]*\} from '@fw\/access-log'/.test(code)
}

/** Returns the arguments of each `new Server(…)`. */
function serverArguments({ code }: Program): string[] {
  return Array.from(code.matchAll(/\bnew Server\(/g), ({ index, 0: call }) => {
    const rest = code.slice(index + call.length)
    let depth = 1
    const end = Array.from(rest).findIndex((character) => {
      if (character === '(') depth++
      if (character === ')') depth--
      return depth === 0
    })
    return rest.slice(0, end)
  })
}

const all = programs()
const mounting = all.filter(mountsAccessLog)

describe('a program or snippet that mounts an access log', () => {
  it.each(mounting.filter(({ name }) => !(name in WITHOUT_SERVER)))(
    'sets trustProxy on its server: $name',
    (program) => {
      const servers = serverArguments(program)
      expect(servers).not.toEqual([])
      expect(servers.filter((options) => !options.includes('trustProxy'))).toEqual([])
    },
  )

  it.each(Object.entries(WITHOUT_SERVER))('has no server in %s, which %s', (path) => {
    const program = mounting.find(({ name }) => name === path)
    expect(program && serverArguments(program)).toEqual([])
  })

  it('exists in the packages, pages, templates and the demo', () => {
    const names = mounting.map(({ name }) => name)
    for (const start of [
      'docs/complete-example.md:',
      'packages/access-log/README.md:',
      'apps/docs/',
      'packages/create/',
      'apps/demo/',
    ]) {
      expect(names).toContainEqual(expect.stringMatching(new RegExp(`^${start}`)))
    }
  })
})

describe('an example to copy', () => {
  const copied = all.filter(
    ({ name, code }) => /^(examples|packages\/create\/templates)\/.*\.ts$/.test(name) && code.includes('new Server('),
  )

  it.each(copied)('sets trustProxy on its server: $name', (program) => {
    expect(serverArguments(program).filter((options) => !options.includes('trustProxy'))).toEqual([])
  })

  it('exists at least twelve times', () => expect(copied.length).toBeGreaterThanOrEqual(12))
})
