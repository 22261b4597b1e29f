import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryRequest } from './request.ts'

/** Returns the properties of a request that is read through a `Request`, the slow path. */
function ofRequest(input: string, init?: RequestInit): unknown {
  return facts(memoryRequest(new Request(new URL(input, 'http://localhost'), init)))
}

function facts({ body, headers, scheme, method, target }: ReturnType<typeof memoryRequest>): unknown {
  return {
    scheme,
    method,
    target,
    fields: [...headers].map((field) => field.join(': ')).toSorted(),
    host: headers.get('Host'),
    hasBody: body !== null,
  }
}

/** Returns the value of a call, or the name of its error. */
function outcome(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return (error as Error).name
  }
}

describe('memoryRequest', () => {
  it.each<[string, RequestInit?]>([
    ['/'],
    ['/a/b-c/d.e?x=1&y=%20'],
    ['/a/../b/./c'],
    ['/a/%2e%2e/b'],
    ['//other.test/x'],
    ['a/b'],
    [''],
    ['/a?b#c'],
    ['/é?ü'],
    ['/a\\b'],
    ['/a b'],
    ['https://user:pass@x.test:8443/a@b?c@d'],
    ['/', { method: 'post', body: 'x' }],
    ['/', { method: 'QUERY', headers: [['A', 'b']] }],
    ['/', { method: 'TRACE' }],
    ['/', { method: 'GET', body: 'x' }],
    ['/', { headers: { host: 'x.test' } }],
    ['/', { headers: [['Host', 'x.test:1']] }],
    ['/', { headers: { 'X-Upper': '1', 'x-upper': '2' } }],
    ['/', { headers: { a: ' padded ' } }],
    ['/', { headers: { 'a b': 'c' } }],
    ['/', { headers: { a: 'b\nc' } }],
    ['/', { headers: new Headers({ b: '2', a: '1' }) }],
    ['/', { method: 'POST', body: 'x', headers: { 'content-type': 'text/csv' } }],
    ['/', { method: 'POST', body: new URLSearchParams('a=1') }],
    ['/', { method: 'POST', body: new Uint8Array(3) }],
  ])('reads %j with the init %j like a Request', (input, init) => {
    expect(outcome(() => facts(memoryRequest(input, init)))).toEqual(outcome(() => ofRequest(input, init)))
  })

  it('parses any path like a URL', () => {
    const piece = fc.oneof(fc.constantFrom('/', '.', '..', '%2e', '?', '#', ':', '@', '\\', '&', '='), fc.string())
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const input = `/${pieces.join('')}`
        expect(outcome(() => facts(memoryRequest(input)))).toEqual(outcome(() => ofRequest(input)))
      }),
    )
  })

  it('copies bytes, like a Request', () => {
    const body = new Uint8Array([1])
    const request = memoryRequest('/', { method: 'POST', body })
    body[0] = 2
    expect(request.body).toEqual(new Uint8Array([1]))
  })
})
