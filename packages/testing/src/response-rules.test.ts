import { describe, expect, it } from 'vitest'
import { MalformedResponse } from './response-error.ts'
import { checkNoConnectionFields, checkResponseHead } from './response-rules.ts'

const date = ['date', 'Sun, 06 Nov 1994 08:49:37 GMT'] as const

describe('checkResponseHead', () => {
  it.each([200, 204, 301, 304, 404])('wants a date on a %i', (status) => {
    expect(() => checkResponseHead(status, [])).toThrow('No date')
    expect(() => checkResponseHead(status, [date])).not.toThrow()
  })

  it('wants none on a 503', () => expect(() => checkResponseHead(503, [])).not.toThrow())

  it.each(['etag', 'location', 'server', 'last-modified'])('refuses a second %s, in any case', (name) => {
    const fields = [date, [name, 'x'], [name.toUpperCase(), 'x']] as const
    expect(() => checkResponseHead(200, fields)).toThrow(MalformedResponse)
  })

  it('takes a second set-cookie', () => {
    expect(() => checkResponseHead(200, [date, ['set-cookie', 'a=1'], ['set-cookie', 'b=2']])).not.toThrow()
  })
})

describe('checkNoConnectionFields', () => {
  it.each(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection', 'Server'])(
    'refuses %s on HTTP/2 and HTTP/3',
    (name) => expect(() => checkNoConnectionFields([[name, 'x']])).toThrow(MalformedResponse),
  )

  it('takes the others', () => expect(() => checkNoConnectionFields([['server', 'x']])).not.toThrow())
})
