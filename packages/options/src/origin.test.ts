import { describe, expect, it } from 'vitest'
import { checkOptions } from './check-options.ts'
import { listOf } from './kinds.ts'
import { origin } from './origin.ts'

const check = (value: unknown): void =>
  checkOptions('cors', { origins: [value] }, { origins: listOf('a list of origins', origin) })

describe('origin', () => {
  it.each([
    'https://example.org',
    'http://localhost:5173',
    'http://127.0.0.1:1',
    'https://[::1]:8443',
    'https://xn--bcher-kva.example',
    'capacitor://localhost',
    'chrome-extension://abcdefghijklmnop',
    'app://obsidian.md:80',
  ])('accepts %j', (value) => {
    expect(() => check(value)).not.toThrow()
  })

  it.each<[unknown, string]>([
    ['https://example.org/', 'got "https://example.org/". Write "https://example.org".'],
    ['https://Example.org', 'Write "https://example.org".'],
    ['https://example.org:443', 'Write "https://example.org".'],
    ['https://example.org/path?query#fragment', 'Write "https://example.org".'],
    ['https://user:secret@example.org', 'Write "https://example.org".'],
    ['https://bücher.example', 'Write "https://xn--bcher-kva.example".'],
    ['https://[0:0:0:0:0:0:0:1]', 'Write "https://[::1]".'],
    [' https://example.org', 'Write "https://example.org".'],
    ['capacitor://localhost/', 'Write "capacitor://localhost".'],
    ['example.org', 'Write "https://app.example.org".'],
    ['https://', 'Write "https://app.example.org".'],
    ['https://ex ample.org', 'Write "https://app.example.org".'],
    ['file:///tmp', 'Write "https://app.example.org".'],
    ['null', 'got "null". Write "https://app.example.org".'],
    ['', 'Write "https://app.example.org".'],
    ['*', 'got "*". List each origin.'],
    ['https://*.example.org', 'List each origin.'],
    [7, 'must be an origin, got 7. Write "https://app.example.org".'],
  ])('refuses %j and suggests a valid origin', (value, message) => {
    expect(() => check(value)).toThrow(message)
  })
})
