import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { mutate, randomBytes, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { belowPrefix, locate } from '../src/paths/locate.ts'

/** A received path, and the options that determine whether it is refused. */
interface Input {
  readonly path: string
  readonly dotfiles: 'allow' | 'deny'
  readonly dotdot: 'anywhere' | 'segment'
}

/** Names, and strings that some servers treat as `..` or as a separator. */
const PIECES: readonly string[] = [
  'a.txt',
  'dir',
  'root',
  'root-secret',
  '.env',
  '.well-known',
  'index.html',
  'etc',
  'passwd',

  '..',
  '.',
  '...',
  '..;',
  '..;x=1',
  '%2e%2e',
  '%2E.',
  '.%2e',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '%e0%80%ae',
  '..%00',
  '..%20',

  '%uff0e',
  '%ef%bc%8e',
  '%5c',
  '%2f',
  '%2F',
  '%255c',
  '%c0%af',
  '\\',
  ';',
  ':',
  '?',
  '#',
  '%3f',
  '%',
  '%4',
  '%zz',
  '\xe9',
  '%C3%A9',
  '/',
  '/',
  '/',
  '//',
  '/./',
  '/../',
  '~',
  '|',
  '%7f',
  '%0a',
  ' ',
  '\t',
  'con',
  'a.txt.',
  'a::$DATA',
]
const BASE = '/srv/root/'

const target: FuzzTarget<Input> = {
  parser: 'static file paths, compared with the Node.js URL parser',
  generate: (random) => ({
    path: path(random),
    dotfiles: random.pick(['allow', 'deny']),
    dotdot: random.pick(['anywhere', 'segment']),
  }),
  check({ path: raw, dotfiles, dotdot }) {
    const rest = belowPrefix(raw, 0)
    const location = locate(BASE, rest, { dotfiles, dotdot })
    if (location.kind === 'refused') return
    const { file, name, isDirectory, isRedundant } = location

    assert.equal(file, BASE + name.slice(1))
    assert.equal(posix.normalize(file), file, 'The file name can be shortened')
    assert.ok(file.startsWith(BASE), 'The file is outside of the root')
    assert.ok(!/[\0-\x1f\x7f\\]/.test(file), 'The file name has a control character or a backslash')
    assert.ok(dotfiles === 'allow' || !/\/\.(?!well-known(?:\/|$))/.test(name), 'A name with a dot is served')
    assert.equal(isDirectory, rest.endsWith('/'))
    assert.equal(isRedundant, decodeURIComponent(rest).includes('//'))

    // A proxy that normalizes the path must select the same file: the path is decoded once, and no part of it is `..`.
    const seen = new URL(`http://x${rest}`)
    assert.equal(seen.search + seen.hash, '')
    assert.equal(decodeURIComponent(seen.pathname).split('/').filter(Boolean).join('/'), name.slice(1))
  },
}
export default target

function path(random: Random): string {
  if (random.chance(0.005)) return `/${random.pick(PIECES).repeat(random.below(4000))}`
  if (random.chance(0.05)) return `/${randomBytes(random, 30)}`
  const text = `/${random.list(0.8, () => random.pick(PIECES)).join(random.pick(['', '/']))}`
  return random.chance(0.2) ? mutate(text, random, PIECES) : text
}
