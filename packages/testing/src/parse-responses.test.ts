import { describe, expect, it } from 'vitest'
import { everySplit } from './every-split.ts'
import { type ParsedResponse, parseResponses } from './parse-responses.ts'
import { IncompleteResponse, MalformedResponse } from './response-error.ts'

const DATE = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n'
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const bodies = (responses: readonly ParsedResponse[]): string[] =>
  responses.map(({ body }) => Buffer.from(body).toString('latin1'))

describe('parseResponses', () => {
  it.each([
    ['Content-Length', `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 3\r\n\r\nabc`, ['abc']],
    ['an empty reason phrase', `HTTP/1.1 200 \r\n${DATE}Content-Length: 0\r\n\r\n`, ['']],
    [
      'chunked coding',
      `HTTP/1.1 200 OK\r\n${DATE}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0A\r\n0123456789\r\n0\r\n\r\n`,
      ['a0123456789'],
    ],
    [
      'a body that ends with the connection',
      `HTTP/1.1 200 OK\r\n${DATE}Connection: close\r\n\r\nto the end`,
      ['to the end'],
    ],
    ['a 204 without Content-Length', `HTTP/1.1 204 No Content\r\n${DATE}\r\n`, ['']],
    ['a 304 with the Content-Length of the 200', `HTTP/1.1 304 Not Modified\r\n${DATE}Content-Length: 7\r\n\r\n`, ['']],
    ['a 500 without Date', 'HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n', ['']],
    [
      'a 1xx before the response',
      `HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 204 x\r\n${DATE}\r\n`,
      ['', ''],
    ],
    [
      'pipelined responses',
      `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 1\r\n\r\n1HTTP/1.1 404 No\r\n${DATE}Content-Length: 1\r\n\r\n2`,
      ['1', '2'],
    ],
  ])('parses %s for every split of the input', async (_name, wire, expected) => {
    for (const slices of everySplit(bytes(wire))) expect(bodies(await parseResponses(slices))).toEqual(expected)
  })

  it('parses Content-Length without a body in the response to HEAD', async () => {
    const wire = `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 3\r\n\r\n`
    expect(bodies(await parseResponses(bytes(wire + wire), ['HEAD', 'HEAD']))).toEqual(['', ''])
  })

  it('parses trailers', async () => {
    const wire = `HTTP/1.1 200 OK\r\n${DATE}Transfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 1\r\n\r\n`
    expect((await parseResponses(bytes(wire)))[0]?.trailers).toEqual([['X-Sum', '1']])
  })

  it('returns field values as latin1 without surrounding whitespace', async () => {
    const wire = `HTTP/1.1 204 x\r\n${DATE}X:\t \u00e9 e \t\r\nEmpty:\r\n\r\n`
    expect((await parseResponses(bytes(wire)))[0]?.fields.slice(1)).toEqual([
      ['X', '\u00e9 e'],
      ['Empty', ''],
    ])
  })
})

describe('parseResponses with an invalid response', () => {
  const head = (fields: string): string => `HTTP/1.1 200 OK\r\n${DATE}${fields}\r\n`
  it.each([
    ['HTTP/1.0', `HTTP/1.0 200 OK\r\n${DATE}Content-Length: 0\r\n\r\n`],
    ['a missing space after the status', `HTTP/1.1 200\r\n${DATE}Content-Length: 0\r\n\r\n`],
    ['a four-digit status', `HTTP/1.1 2000 OK\r\n${DATE}Content-Length: 0\r\n\r\n`],
    ['a control character in the reason phrase', `HTTP/1.1 200 O\u0000K\r\n${DATE}Content-Length: 0\r\n\r\n`],
    ['a bare LF', `HTTP/1.1 200 OK\n${DATE}Content-Length: 0\r\n\r\n`],
    ['a bare CR', head('Content-Length: 0\r\nX: a\rb\r\n')],
    ['a line without a colon', head('Content-Length: 0\r\nX\r\n')],
    ['a folded line', head('Content-Length: 0\r\n folded: a\r\n')],
    ['space before the colon', head('Content-Length : 0\r\n')],
    ['NUL in a value', head('Content-Length: 0\r\nX: \u0000\r\n')],
    ['a 200 without Date', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a Date in an unknown format', 'HTTP/1.1 200 OK\r\nDate: 1994-11-06\r\nContent-Length: 0\r\n\r\n'],
    ['the wrong day of the week', `HTTP/1.1 200 OK\r\n${DATE.replace('Sun', 'Mon')}Content-Length: 0\r\n\r\n`],
    ['two Content-Length fields', head('Content-Length: 0\r\ncontent-length: 0\r\n')],
    ['a list in Content-Length', head('Content-Length: 0, 0\r\n')],
    ['a negative Content-Length', head('Content-Length: -1\r\n')],
    ['two Content-Type fields', head('Content-Length: 0\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n')],
    ['Content-Length and chunked coding', `${head('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n`],
    ['an unsupported transfer coding', `${head('Transfer-Encoding: gzip, chunked\r\n')}0\r\n\r\n`],
    ['no framing field and no "connection: close"', head('')],
    ['Content-Length in a 204', `HTTP/1.1 204 x\r\n${DATE}Content-Length: 0\r\n\r\n`],
    ['chunked coding in a 304', `HTTP/1.1 304 x\r\n${DATE}Transfer-Encoding: chunked\r\n\r\n`],
    ['content in a 204', `HTTP/1.1 204 x\r\n${DATE}\r\ncontent\r\n`],
    ['bytes after the end', `${head('Content-Length: 1\r\n')}ab\r\n`],
    ['a chunk size with a sign', `${head('Transfer-Encoding: chunked\r\n')}+1\r\na\r\n0\r\n\r\n`],
    ['a chunk extension', `${head('Transfer-Encoding: chunked\r\n')}1;a=b\r\na\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${head('Transfer-Encoding: chunked\r\n')}1\r\nab\r\n0\r\n\r\n`],
    ['a trailer without a colon', `${head('Transfer-Encoding: chunked\r\n')}0\r\nX\r\n\r\n`],
  ])('rejects %s for every split of the input', async (_name, wire) => {
    for (const slices of everySplit(bytes(wire))) {
      await expect(parseResponses(slices)).rejects.toThrow(MalformedResponse)
    }
  })

  it.each([
    ['within the header section', `HTTP/1.1 200 OK\r\n${DATE}`],
    ['within a body of known length', `${head('Content-Length: 3\r\n')}ab`],
    ['within a chunk', `${head('Transfer-Encoding: chunked\r\n')}3\r\nab`],
    ['before the last chunk', `${head('Transfer-Encoding: chunked\r\n')}1\r\na\r\n`],
    ['within the trailers', `${head('Transfer-Encoding: chunked\r\n')}0\r\nX: 1\r\n`],
  ])('throws IncompleteResponse for an end %s, for every split of the input', async (_name, wire) => {
    for (const slices of everySplit(bytes(wire))) {
      await expect(parseResponses(slices)).rejects.toThrow(IncompleteResponse)
    }
  })
})
