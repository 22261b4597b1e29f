import * as library from 'ws'
import { describe, expect, it } from 'vitest'
import { acceptCompression, createLibrarySocket, parseExtensions } from './ws-bridge.ts'

const SETTINGS = { maxMessageBytes: 100, maxFragments: 10, closeTimeoutMs: 1000 }

describe('the ws library', () => {
  it('has the private members that the bridge uses', () => {
    const { socket } = createLibrarySocket(SETTINGS, undefined)
    expect(socket).toHaveProperty('_extensions', {})
    expect(socket).toHaveProperty('setSocket', expect.any(Function))
    expect(socket).toHaveProperty('_closeTimeout', 1000)
    expect(library).toHaveProperty('PerMessageDeflate.extensionName', 'permessage-deflate')
    expect(library).toHaveProperty('extension.parse', expect.any(Function))
    expect(library).toHaveProperty('extension.format', expect.any(Function))
  })
})

describe('acceptCompression', () => {
  it.each([
    'permessage-deflate',
    'permessage-deflate; client_max_window_bits',
    'permessage-deflate; server_no_context_takeover; client_no_context_takeover',
    'x-other, permessage-deflate; server_max_window_bits=10',
  ])('accepts %s without context takeover', (field) => {
    expect(acceptCompression(field, 100)?.field).toMatch(
      /^permessage-deflate; (?=.*server_no_context_takeover)(?=.*client_no_context_takeover)/,
    )
  })

  it.each([
    'x-other',
    'permessage-deflate; unknown',
    'permessage-deflate; server_max_window_bits=7',
    'permessage-deflate; server_max_window_bits=16',
    'permessage-deflate; server_no_context_takeover=1',
    'permessage-deflate; client_no_context_takeover; client_no_context_takeover',
  ])('refuses %s', (field) => {
    expect(acceptCompression(field, 100)).toBeUndefined()
  })

  it.each(['', ',', 'permessage-deflate;', 'a b', 'a; b=', 'a; b="'])('throws for the malformed field %j', (field) => {
    expect(() => acceptCompression(field, 100)).toThrow(SyntaxError)
    expect(() => parseExtensions(field)).toThrow(SyntaxError)
  })
})
