import { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { BareRequest, BareResponse } from './bare.ts'

describe('a bare message', () => {
  it('has the prototype of node:http, and no members of its own', () => {
    const [request, response] = [new BareRequest(), new BareResponse()]
    expect([request instanceof IncomingMessage, response instanceof ServerResponse]).toEqual([true, true])
    expect([Object.keys(request), Object.keys(response)]).toEqual([[], []])
  })
})
