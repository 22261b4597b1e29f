import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { wholeResponse } from './response.ts'

const FIELDS = ['content-type', 'application/json', 'set-cookie', 'a=1', 'set-cookie', 'b=2']
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const plain = (body: string | Uint8Array<ArrayBuffer> | null, status = 200): Response => {
  const headers = new Headers()
  for (let i = 0; i < FIELDS.length; i += 2) headers.append(FIELDS[i] ?? '', FIELDS[i + 1] ?? '')
  return new Response(body, { status, headers })
}

const READERS: readonly [string, (response: Response) => unknown][] = [
  ['text', (response) => response.text()],
  ['json', (response) => response.json()],
  ['bytes', (response) => response.bytes()],
  ['arrayBuffer', (response) => response.arrayBuffer()],
  ['blob', async (response) => [(await response.clone().blob()).type, await (await response.blob()).text()]],
  ['a clone', async (response) => [await response.clone().text(), await response.text()]],
  ['the stream', async (response) => (await new Response(response.body).bytes()).join()],
  ['a new Response', (response) => new Response(response.body, response).text()],
]
const BODIES = ['{"a":"é"}', '', '\ufeff[1]', '"\ud800"', bytes('[2]'), bytes(''), null]

const facts = (response: Response): unknown => [
  response.status,
  response.ok,
  response.statusText,
  response.type,
  response.url,
  response.redirected,
  [...response.headers],
  response.headers.getSetCookie(),
  response.body,
  response.bodyUsed,
]

describe('wholeResponse', () => {
  it.each(READERS)('returns the same content as a native Response when read by %s', async (_, read) => {
    for (const body of BODIES) {
      const settle = async (response: Response): Promise<unknown> => {
        const [first] = await Promise.allSettled([Promise.resolve(response).then(read)])
        const [again] = await Promise.allSettled([response.text()])
        return [
          first.status === 'fulfilled' ? first.value : String(first.reason),
          response.bodyUsed,
          response.body?.locked,
          again.status,
        ]
      }
      expect(await settle(wholeResponse(200, FIELDS, body))).toEqual(await settle(plain(body)))
    }
  })

  it.each([200, 204, 299, 304, 404, 599])(
    'returns the status and fields of a native Response with status %i',
    (status) => {
      const [ours, theirs] = [wholeResponse(status, FIELDS, null), plain(null, status)]
      expect(facts(ours)).toEqual(facts(theirs))
      expect(ours).toBeInstanceOf(Response)
    },
  )

  it("copies each Response member, because the prototype's own members reject it", () => {
    const missing = Object.getOwnPropertyNames(Response.prototype).filter(
      (name) => !Object.hasOwn(Object.getPrototypeOf(wholeResponse(200, [], null)) as object, name),
    )
    expect(missing).toEqual([])
  })

  it('prints its status', () => {
    expect(inspect(wholeResponse(201, FIELDS, 'x'))).toContain('status: 201')
  })

  it('rejects a status above 599, like a native Response', () => {
    expect(() => wholeResponse(600, [], null)).toThrow(RangeError)
  })
})
