import { describe, expect, it } from 'vitest'
import { nearestName } from './nearest-name.ts'

const NAMES = ['port', 'host', 'path', 'reusePort', 'maxBodyBytes', 'http2', 'http3']

describe('nearestName', () => {
  it.each([
    ['prot', 'port'],
    ['Port', 'port'],
    ['hots', 'host'],
    ['reuseport', 'reusePort'],
    ['maxBodyByte', 'maxBodyBytes'],
    ['bodyMaxBytes', undefined],
    ['http', 'http2'],
    ['x', undefined],
    ['', undefined],
  ])('resolves %j to the name %j', (wrong, expected) => {
    expect(nearestName(wrong, NAMES)).toBe(expected)
  })
})
