import type { TestField } from '../client.ts'

/**
 * Static table, one field per line, with a space between name and value.
 *
 * It is not shared with the engine, so that a mistake in one of the two tables fails a test.
 *
 * @see RFC 9204 Appendix A
 */
const STATIC_FIELDS = `:authority 
:path /
age 0
content-disposition 
content-length 0
cookie 
date 
etag 
if-modified-since 
if-none-match 
last-modified 
link 
location 
referer 
set-cookie 
:method CONNECT
:method DELETE
:method GET
:method HEAD
:method OPTIONS
:method POST
:method PUT
:scheme http
:scheme https
:status 103
:status 200
:status 304
:status 404
:status 503
accept */*
accept application/dns-message
accept-encoding gzip, deflate, br
accept-ranges bytes
access-control-allow-headers cache-control
access-control-allow-headers content-type
access-control-allow-origin *
cache-control max-age=0
cache-control max-age=2592000
cache-control max-age=604800
cache-control no-cache
cache-control no-store
cache-control public, max-age=31536000
content-encoding br
content-encoding gzip
content-type application/dns-message
content-type application/javascript
content-type application/json
content-type application/x-www-form-urlencoded
content-type image/gif
content-type image/jpeg
content-type image/png
content-type text/css
content-type text/html; charset=utf-8
content-type text/plain
content-type text/plain;charset=utf-8
range bytes=0-
strict-transport-security max-age=31536000
strict-transport-security max-age=31536000; includesubdomains
strict-transport-security max-age=31536000; includesubdomains; preload
vary accept-encoding
vary origin
x-content-type-options nosniff
x-xss-protection 1; mode=block
:status 100
:status 204
:status 206
:status 302
:status 400
:status 403
:status 421
:status 425
:status 500
accept-language 
access-control-allow-credentials FALSE
access-control-allow-credentials TRUE
access-control-allow-headers *
access-control-allow-methods get
access-control-allow-methods get, post, options
access-control-allow-methods options
access-control-expose-headers content-length
access-control-request-headers content-type
access-control-request-method get
access-control-request-method post
alt-svc clear
authorization 
content-security-policy script-src 'none'; object-src 'none'; base-uri 'none'
early-data 1
expect-ct 
forwarded 
if-range 
origin 
purpose prefetch
server 
timing-allow-origin *
upgrade-insecure-requests 1
user-agent 
x-forwarded-for 
x-frame-options deny
x-frame-options sameorigin`

const STATIC_TABLE: readonly TestField[] = STATIC_FIELDS.split('\n').map((line) => {
  const space = line.indexOf(' ')
  return [line.slice(0, space), line.slice(space + 1)]
})

/** Encodes a field section without validating it. Uses the static table, and literals without Huffman coding. */
export function encodeFields(fields: readonly TestField[]): Buffer {
  const lines = fields.map(([name, value]) => {
    const index = STATIC_TABLE.findIndex(([n, v]) => n === name && v === value)
    if (index >= 0) return integer(0xc0, 6, index)
    const bytes = Buffer.from(value, 'latin1')
    const known = STATIC_TABLE.findIndex(([n]) => n === name)
    if (known >= 0) return Buffer.concat([integer(0x50, 4, known), integer(0, 7, bytes.length), bytes])
    const text = Buffer.from(name, 'latin1')
    return Buffer.concat([integer(0x20, 3, text.length), text, integer(0, 7, bytes.length), bytes])
  })
  return Buffer.concat([Buffer.from([0, 0]), ...lines])
}

/** Decodes a field section. @throws {Error} if it uses the dynamic table or Huffman coding */
export function decodeFields(section: Uint8Array): TestField[] {
  const bytes = Buffer.from(section)
  let at = 2
  const number = (bits: number): number => {
    const max = 2 ** bits - 1
    let value = (bytes[at++] ?? 0) & max
    if (value < max) return value
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  const text = (bits: number): string => {
    if (((bytes[at] ?? 0) & (2 ** bits)) !== 0) throw new Error('The server used Huffman coding')
    const length = number(bits)
    at += length
    if (at > bytes.length) throw new Error('A field section is truncated')
    return bytes.toString('latin1', at - length, at)
  }
  if (bytes[0] !== 0 || bytes[1] !== 0) throw new Error('The server used the dynamic table')
  const fields: TestField[] = []
  while (at < bytes.length) {
    const first = bytes[at] ?? 0
    if (first >= 0xc0) fields.push(staticField(number(6)))
    else if ((first & 0xd0) === 0x50) fields.push([staticField(number(4))[0], text(7)])
    else if ((first & 0xe0) === 0x20) fields.push([text(3), text(7)])
    else throw new Error('The server used the dynamic table')
  }
  return fields
}

function staticField(index: number): TestField {
  const field = STATIC_TABLE[index]
  if (field === undefined) throw new Error(`The server used static table index ${index}, which does not exist`)
  return field
}

function integer(flags: number, bits: number, value: number): Buffer {
  const max = 2 ** bits - 1
  if (value < max) return Buffer.from([flags | value])
  const bytes = [flags | max]
  let rest = value - max
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}
