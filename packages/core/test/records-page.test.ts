import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const page = readFileSync(`${ROOT}docs/records.md`, 'utf8')

/** Sections of the page that list the records for each log method. A caught exception is logged at Error or Fatal. */
const SECTIONS: Readonly<Record<string, string>> = {
  fatal: 'Fatal and Error',
  error: 'Fatal and Error',
  record: 'Fatal and Error',
  warn: 'Warn',
  info: 'Info',
  debug: 'Debug',
  trace: 'Trace',
}

/** The format strings of the server and of `@fw/websocket`, with the method that logs them. `{}` and `{}: {}` only pass on a message. */
const records = globSync(['src/**/*.ts', '../websocket/src/**/*.ts'], { cwd: ROOT })
  .filter((path) => !path.endsWith('.test.ts'))
  .flatMap((path) => {
    const source = readFileSync(ROOT + path, 'utf8')
    const call = /(?:logger|Logger)\??\.(trace|debug|info|warn|error|fatal)\(\s*'([^']+)'|\b(record)\(\s*'([^']+)'/g
    return Array.from(source.matchAll(call), ([, method, format, helper, other]) => ({
      method: method ?? helper ?? '',
      format: format ?? other ?? '',
    }))
  })
  .filter(({ format }) => format !== '{}: {}')

/** Returns the code spans of a section. */
function spansOf(section: string): string[] {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? ''
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, span = '']) => span)
}

describe('the page of log records', () => {
  it('is compared with the log calls in the source', () => {
    expect(records.length).toBeGreaterThan(40)
    expect(records).toContainEqual({ method: 'info', format: 'Listening on {} ({})' })
  })

  it.each(records)('lists the $method record "$format"', ({ method, format }) => {
    expect(spansOf(SECTIONS[method] ?? '')).toContain(format)
  })

  it('lists no other records', () => {
    const known = new Set([...records.map(({ format }) => format), '{} {} failed: {}'])
    const prefixed = /^(?:A refused\(\)|An on(?:Finish|Drain))/
    const listed = Array.from(page.matchAll(/^\| `([^`]+)`/gm), ([, span = '']) => span)
    expect(listed.filter((span) => !known.has(span) && !prefixed.test(span))).toEqual([])
  })
})
