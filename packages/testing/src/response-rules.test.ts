import { describe, expect, it } from 'vitest'
import { MalformedResponse } from './response-error.ts'
import { checkNoConnectionFields, checkResponseHead } from './response-rules.ts'

const date = ['date', 'Sun, 06 Nov 1994 08:49:37 GMT'] as const

describe('checkResponseHead', () => {
  it.each([200, 204, 301, 304, 404])('requires Date in a response with status %i', (status) => {
    expect(() => checkResponseHead(status, [])).toThrow('without Date')
    expect(() => checkResponseHead(status, [date])).not.toThrow()
  })

  it('accepts a 503 without Date', () => expect(() => checkResponseHead(503, [])).not.toThrow())

  it.each(['etag', 'location', 'server', 'last-modified'])('rejects a second %s in any letter case', (name) => {
    const fields = [date, [name, 'x'], [name.toUpperCase(), 'x']] as const
    expect(() => checkResponseHead(200, fields)).toThrow(MalformedResponse)
  })

  it('accepts a second set-cookie', () => {
    expect(() => checkResponseHead(200, [date, ['set-cookie', 'a=1'], ['set-cookie', 'b=2']])).not.toThrow()
  })
})

describe('checkNoConnectionFields', () => {
  it.each(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection', 'Server'])(
    'rejects %s on HTTP/2 and HTTP/3',
    (name) => expect(() => checkNoConnectionFields([[name, 'x']])).toThrow(MalformedResponse),
  )

  it('accepts other fields', () => expect(() => checkNoConnectionFields([['server', 'x']])).not.toThrow())
})
