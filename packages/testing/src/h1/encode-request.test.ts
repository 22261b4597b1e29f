import { expect, it } from 'vitest'
import type { ClientRequest } from '../client.ts'
import { encodeChunk, encodeLastChunk, encodeRequest } from './encode-request.ts'

it.each<[string, ClientRequest, string, boolean]>([
  ['adds Host', { path: '/' }, 'GET / HTTP/1.1\r\nhost: a:1\r\n\r\n', false],
  ['keeps a given Host', { path: '*', headers: [['Host', 'b']] }, 'GET * HTTP/1.1\r\nHost: b\r\n\r\n', false],
  [
    'counts the bytes of the body',
    { path: '/', body: 'é' },
    'POST / HTTP/1.1\r\nhost: a:1\r\ncontent-length: 2\r\n\r\n',
    false,
  ],
  [
    'adds Content-Length: 0 for an empty body',
    { path: '/', body: '' },
    'POST / HTTP/1.1\r\nhost: a:1\r\ncontent-length: 0\r\n\r\n',
    false,
  ],
  [
    'uses chunked coding with trailers',
    { path: '/', body: 'a', trailers: [['x', '1']] },
    'POST / HTTP/1.1\r\nhost: a:1\r\ntransfer-encoding: chunked\r\n\r\n',
    true,
  ],
  [
    'keeps a given Content-Length, even a wrong one,',
    { path: '/', body: 'a', headers: [['content-length', '7']] },
    'POST / HTTP/1.1\r\nhost: a:1\r\ncontent-length: 7\r\n\r\n',
    false,
  ],
  [
    'keeps a given transfer coding',
    { path: '/', body: 'a', headers: [['transfer-encoding', 'Chunked']] },
    'POST / HTTP/1.1\r\nhost: a:1\r\ntransfer-encoding: Chunked\r\n\r\n',
    true,
  ],
])('%s in a request', (_name, request, head, isChunked) => {
  const encoded = encodeRequest(request, 'a:1')
  expect(Buffer.from(encoded.head).toString('latin1')).toBe(head)
  expect(encoded.isChunked).toBe(isChunked)
})

it('writes the size of a chunk in hexadecimal', () => {
  expect(encodeChunk(Buffer.alloc(17, 'x')).toString()).toBe(Buffer.from(`11\r\n${'x'.repeat(17)}\r\n`).toString())
})

it('writes no chunk for an empty slice, because an empty chunk would end the body', () => {
  expect(encodeChunk(new Uint8Array())).toHaveLength(0)
})

it('writes the trailers after the last chunk', () => {
  expect(Buffer.from(encodeLastChunk([['x-sum', '1']])).toString()).toBe('0\r\nx-sum: 1\r\n\r\n')
})
