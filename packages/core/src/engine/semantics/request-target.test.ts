import { describe, expect, it } from 'vitest'
import { parseRequestTarget } from './request-target.ts'

describe('parseRequestTarget', () => {
  it.each([
    ['GET', '/', 'origin', '/', ''],
    ['GET', '/a/b?c=1', 'origin', '/a/b', 'c=1'],
    ['GET', '/a?b?c', 'origin', '/a', 'b?c'],
    ['GET', '/a?', 'origin', '/a', ''],
    ['GET', '//a/../%2e', 'origin', '//a/../%2e', ''],
    ['GET', '/http://x/', 'origin', '/http://x/', ''],
    ['GET', 'http://example.com/a?b', 'absolute', '/a', 'b'],
    ['GET', 'HTTPS://example.com:8443/a', 'absolute', '/a', ''],
    ['GET', 'http://example.com', 'absolute', '/', ''],
    ['GET', 'http://example.com?a=b', 'absolute', '/', 'a=b'],
    ['OPTIONS', '*', 'asterisk', '*', ''],
    ['OPTIONS', 'http://example.com', 'asterisk', '*', ''],
    ['OPTIONS', 'http://example.com/', 'absolute', '/', ''],
    ['CONNECT', 'example.com:443', 'authority', 'example.com:443', ''],
    ['CONNECT', '/chat', 'origin', '/chat', ''],
    ['GET', '*', 'malformed', '*', ''],
    ['GET', 'example.com:443', 'malformed', 'example.com:443', ''],
    ['GET', 'http:///a', 'malformed', 'http:///a', ''],
    ['GET', 'ftp://example.com/a?b', 'malformed', 'ftp://example.com/a', 'b'],
    ['GET', '', 'malformed', '', ''],
  ])('parses the form of %s %j: %s', (method, target, form, path, rawQuery) => {
    expect(parseRequestTarget(method, target)).toEqual({ form, path, rawQuery })
  })
})
