import { describe, expect, it } from 'vitest'
import { AbortedError, ProtocolError } from '../engine/errors.ts'
import { BodyReader } from './body-reader.ts'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import { ReceivedBody } from '../engine/exchange/received-body.ts'
import { DEFAULT_LIMITS } from '../options/limits.ts'

interface Setup {
  readonly fields?: readonly string[]
  readonly length?: number
  readonly maxBytes?: number
  readonly types?: readonly string[]
}

/** Creates a reader, and the body that the test fills. */
function setup({ fields = [], length, maxBytes = 100, types }: Setup = {}): { body: ReceivedBody; reader: BodyReader } {
  const body = new ReceivedBody(length, 10, { onWanted() {}, onFull() {}, onRoom() {} })
  return {
    body,
    reader: new BodyReader(
      body,
      new FieldListHeaders(fields),
      { ...DEFAULT_LIMITS, maxBodyBytes: maxBytes },
      undefined,
      types,
    ),
  }
}

/** Creates a reader for a body that has arrived. */
function readerOf(bytes: string | Uint8Array, options: Setup = {}): BodyReader {
  const { body, reader } = setup(options)
  body.push(Buffer.from(bytes))
  body.finish()
  return reader
}

const json = (type = 'application/json'): Setup => ({ fields: ['content-type', type] })

describe('BodyReader.bytes', () => {
  it('joins the pieces that arrive before and after the call', async () => {
    const { body, reader } = setup()
    body.push(Buffer.from('ab'))
    const reading = reader.bytes()
    body.push(Buffer.from('cd'))
    body.finish()
    expect(Buffer.from(await reading).toString()).toBe('abcd')
  })

  it('returns the same body on every call and from every method', async () => {
    const reader = readerOf('{"a":1}', json())
    expect(await reader.bytes()).toBe(await reader.bytes())
    expect([await reader.text(), await reader.json()]).toEqual(['{"a":1}', { a: 1 }])
  })

  it('rejects an announced length over the limit without reading', async () => {
    const { body, reader } = setup({ length: 101 })
    await expect(reader.bytes()).rejects.toMatchObject({ name: 'HttpError', status: 413 })
    expect(() => reader.stream()).toThrow(expect.objectContaining({ status: 413 }))
    expect(body.isWanted).toBe(false)
  })

  it.each([
    [4, true],
    [3, false],
  ])('reports whether 4 bytes are within a limit of %i: %s', async (maxBytes, isAllowed) => {
    const reader = readerOf('abcd', { maxBytes })
    const status = await reader.bytes().then(
      () => 200,
      (error: { status: number }) => error.status,
    )
    expect(status).toBe(isAllowed ? 200 : 413)
  })

  it('rejects as soon as the body exceeds the limit, even if more bytes follow', async () => {
    const { body, reader } = setup({ maxBytes: 3 })
    const reading = reader.bytes()
    body.push(Buffer.from('ab'))
    body.push(Buffer.from('cd'))
    await expect(reading).rejects.toMatchObject({ status: 413 })
    body.push(Buffer.from('ef'))
    body.finish()
  })

  it.each([new AbortedError('gone'), new ProtocolError(400, 'broken')])(
    "rejects with the body's error: %s",
    async (error) => {
      const { body, reader } = setup()
      const reading = reader.bytes()
      body.push(Buffer.from('ab'))
      body.fail(error)
      await expect(reading).rejects.toBe(error)
    },
  )

  it('causes no unhandled rejection when it is awaited late', async () => {
    const { body, reader } = setup({ types: ['*/*'] })
    const reading = [reader.bytes(), reader.text(), reader.json(), reader.form()]
    body.fail(new AbortedError('gone'))
    // An unhandled rejection in this turn would fail the whole run.
    await new Promise((resolve) => setImmediate(resolve))
    for (const each of reading) await expect(each).rejects.toThrow('gone')
  })
})

describe('BodyReader.text', () => {
  it('decodes UTF-8', async () => {
    expect(await readerOf('é€😀').text()).toBe('é€😀')
    expect(await readerOf('').text()).toBe('')
  })

  it.each([[[0xff]], [[0xc3]], [[0xed, 0xa0, 0x80]], [[0xc0, 0x80]]])(
    'rejects invalid UTF-8 %j with 400',
    async (bytes) => {
      await expect(readerOf(Uint8Array.from(bytes)).text()).rejects.toMatchObject({ name: 'HttpError', status: 400 })
    },
  )

  it('rejects a content coding with 415', async () => {
    const reader = readerOf('x', { fields: ['content-encoding', 'gzip'] })
    await expect(reader.text()).rejects.toMatchObject({ status: 415, headers: { 'accept-encoding': 'identity' } })
  })
})

describe('BodyReader.json', () => {
  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/problem+json', 'text/json'])(
    'accepts %s',
    async (type) => {
      expect(await readerOf('[1]', json(type)).json()).toEqual([1])
    },
  )

  it('rejects a body without a type with 415', async () => {
    await expect(readerOf('[1]').json()).rejects.toMatchObject({
      status: 415,
      message: 'The content-type of the body is missing, expected application/json',
      headers: { accept: 'application/json' },
    })
  })

  it('rejects a request without a body with 400 instead of 415', async () => {
    await expect(readerOf('', { length: 0 }).json()).rejects.toMatchObject({ status: 400 })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json, application/json',
    'text/plain, a/b+json',
    'text/plain; charset=+json',
    '+json',
    '',
  ])('rejects type %j with 415', async (type) => {
    await expect(readerOf('[1]', json(type)).json()).rejects.toMatchObject({
      status: 415,
      message: 'The content-type of the body must be application/json',
      headers: { accept: 'application/json' },
    })
  })

  it.each(['utf-8', 'UTF-8', 'utf8', '"utf-8"', '"utf-8" ; x=y'])('accepts charset %s', async (charset) => {
    expect(await readerOf('[1]', json(`application/json; charset=${charset}`)).json()).toEqual([1])
  })

  it.each(['iso-8859-1', 'utf-16', '"us-ascii"', '', '"'])('rejects charset %j with 415', async (charset) => {
    await expect(readerOf('[1]', json(`application/json;charset=${charset}`)).json()).rejects.toMatchObject({
      status: 415,
      message: 'The charset of the body is not utf-8',
    })
  })

  it.each<[readonly string[], string | undefined, boolean]>([
    [['application/json', 'text/plain'], 'text/plain;charset=UTF-8', true],
    [['application/json', 'text/plain'], 'text/html', false],
    [['application/json', 'text/plain'], undefined, false],
    [['application/merge-patch+json'], 'application/merge-patch+json', true],
    [['application/merge-patch+json'], 'application/json', false],
    [['application/json', 'application/x-www-form-urlencoded'], 'application/x-www-form-urlencoded', false],
    [['*/*'], 'application/x-www-form-urlencoded', true],
    [['*/*'], 'x', true],
    [['*/*'], undefined, true],
  ])('reports whether bodyTypes %j allow the type %s: %s', async (types, type, isRead) => {
    const reader = readerOf('[1]', { types, ...(type === undefined ? {} : json(type)) })
    const status = await reader.json().then(
      () => 200,
      (error: { status: number; headers: { accept?: string } }) => [error.status, error.headers.accept],
    )
    expect(status).toEqual(isRead ? 200 : [415, types.join(', ')])
  })

  it.each(['', '{', '{"a":1}x', 'undefined', "{'a':1}"])('rejects malformed JSON %j with 400', async (text) => {
    await expect(readerOf(text, json()).json()).rejects.toMatchObject({ name: 'HttpError', status: 400 })
  })

  it('makes a member named __proto__ an own property', async () => {
    const value = (await readerOf('{"__proto__":{"isAdmin":true}}', json()).json()) as { isAdmin?: boolean }
    expect(value.isAdmin).toBeUndefined()
    expect(Object.keys(value)).toEqual(['__proto__'])
  })
})

describe('BodyReader.form', () => {
  it('returns the decoded pairs in order', async () => {
    const malformed = await readerOf('\u0126\u{1f600}=%82', json('application/x-www-form-urlencoded')).form()
    expect([...malformed]).toEqual([['\u0126\u{1f600}', '\ufffd']])
    const form = await readerOf('a=1&b=%C3%A9+x&a=2', json('application/x-www-form-urlencoded')).form()
    expect([...form]).toEqual([
      ['a', '1'],
      ['b', 'é x'],
      ['a', '2'],
    ])
  })

  it('rejects a multipart form with 415', async () => {
    await expect(readerOf('a=1', json('multipart/form-data; boundary=x')).form()).rejects.toMatchObject({ status: 415 })
  })

  it('rejects a charset other than UTF-8 with 415', async () => {
    const type = 'application/x-www-form-urlencoded; charset=windows-1252'
    await expect(readerOf('a=%E9', json(type)).form()).rejects.toMatchObject({ status: 415 })
  })
})

describe('BodyReader.stream', () => {
  it('returns the body slice by slice and then ends', async () => {
    const { body, reader } = setup()
    const stream = reader.stream()
    body.push(Buffer.from('ab'))
    body.push(Buffer.from('cd'))
    body.finish()
    const slices: string[] = []
    for await (const slice of stream) slices.push(Buffer.from(slice).toString())
    expect(slices).toEqual(['ab', 'cd'])
  })

  it('requests no bytes before the first read, and one piece per read', async () => {
    const { body, reader } = setup()
    const stream = reader.stream()
    await new Promise((resolve) => setImmediate(resolve))
    expect(body.isWanted).toBe(false)
    const slices = stream.getReader()
    const first = slices.read()
    for (const text of ['ab', 'cd', 'ef']) body.push(Buffer.from(text))
    expect(Buffer.from((await first).value ?? []).toString()).toBe('ab')
    const second = await slices.read()
    expect(Buffer.from(second.value ?? []).toString()).toBe('cd')
  })

  it('fails with 413 when the body exceeds the limit', async () => {
    const { body, reader } = setup({ maxBytes: 3 })
    const slices = reader.stream().getReader()
    const first = slices.read()
    body.push(Buffer.from('ab'))
    await first
    const second = slices.read()
    body.push(Buffer.from('cd'))
    await expect(second).rejects.toMatchObject({ name: 'HttpError', status: 413 })
  })

  it('fails when the body fails', async () => {
    const { body, reader } = setup()
    const reading = reader.stream().getReader().read()
    body.fail(new AbortedError('gone'))
    await expect(reading).rejects.toThrow('gone')
  })

  it('ignores bytes and errors after it was canceled', async () => {
    const { body, reader } = setup()
    const slices = reader.stream().getReader()
    const first = slices.read()
    body.push(Buffer.from('ab'))
    await first
    await slices.cancel()
    body.push(Buffer.from('cd'))
    expect(() => body.fail(new AbortedError('gone'))).not.toThrow()
  })

  it('rejects a read if the body has already been read', async () => {
    const reader = readerOf('ab')
    await reader.bytes()
    await expect(reader.stream().getReader().read()).rejects.toThrow('it was already read or is being read')
  })
})
