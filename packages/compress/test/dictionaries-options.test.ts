import { fileURLToPath } from 'node:url'
import { Server } from '@fw/core'
import { describe, expect, it } from 'vitest'
import { dictionaries } from '../src/dictionaries.ts'

const SOURCE = fileURLToPath(new URL('.', import.meta.url))

describe('dictionaries', () => {
  it.each<[object, typeof TypeError | typeof RangeError, string]>([
    [{ match: '/a/(b|c)', source: '.' }, TypeError, 'option "match" must be a path that begins with "/"'],
    [{ match: 'https://example.org/*', source: '.' }, TypeError, 'option "match" must be a path that begins'],
    [{ match: '/*' }, TypeError, 'option "source" must be a folder if "match" is set, got undefined.'],
    [{ source: '.' }, TypeError, 'option "match" must be a path if "source" is set, got undefined.'],
    [{ id: 'a' }, TypeError, 'option "match" must be a path if "id" is set'],
    [{ match: '/*', source: 1 }, TypeError, 'option "source" must be a string or a URL'],
    [{ match: '/*', source: '.', id: 'x'.repeat(1025) }, RangeError, 'of at most 1024 characters, got'],
    [{ match: '/*', source: '.', id: 'ü' }, RangeError, 'option "id" must be printable ASCII text'],
    [{ match: '/*', source: '.', destinations: ['scripts'] }, TypeError, 'option "destinations[0]" must be'],
    [{ codings: [] }, TypeError, 'option "codings" must be a non-empty array, got [].'],
    [{ codings: ['br'] }, TypeError, 'option "codings[0]" must be "dcz" or "dcb"'],
    [{ levels: { dcb: 4 } }, RangeError, 'option "levels.dcb" must be an integer from 5 to 11, got 4'],
    [{ levels: { dcz: 0 } }, RangeError, 'option "levels.dcz" must be an integer from 1 to 22, got 0'],
    [{ maxWaitingJobs: -1 }, RangeError, 'option "maxWaitingJobs" must be'],
    [{ maxStreamBytes: 0.5 }, RangeError, 'option "maxStreamBytes" must be'],
    [{ maxPoolJobs: 0 }, RangeError, 'option "maxPoolJobs" must be a positive integer'],
    [{ matches: '/*' }, TypeError, 'unknown option "matches". Did you mean "match"?'],
  ])('rejects the options %j', (options, type, message) => {
    expect(() => dictionaries(options)).toThrow(type)
    expect(() => dictionaries(options)).toThrow(message)
  })

  it('accepts the longest id', () => {
    expect(() => dictionaries({ match: '/*', source: SOURCE, id: 'x'.repeat(1024) })).not.toThrow()
  })

  it.each<[unknown, string]>([
    [true, 'option "dictionary" must be false or an object with "match", got true'],
    [{}, 'option "dictionary" must be false or an object with "match"'],
    [{ match: '/(a|b)' }, 'option "dictionary.match" must be a URL pattern'],
    [{ match: '/*', maxBytes: -1 }, 'option "dictionary.maxBytes" must be'],
    [{ match: '/*', session: 'a' }, 'option "dictionary.session" must be a function'],
    [{ match: '/*', source: '.' }, 'unknown option "dictionary.source"'],
  ])('rejects the route option %j', (dictionary, message) => {
    const router = new Server().router()
    expect(() => router.get('/', { dictionary: dictionary as false }, () => '')).toThrow(message)
  })
})
