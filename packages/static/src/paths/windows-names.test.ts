import { expect, it } from 'vitest'
import { isOtherOnWindows } from './locate.ts'

it.each([
  'a.txt::$DATA',
  'a.txt:stream',
  'C:',
  'a.txt.',
  'a.txt ',
  'dir. .',
  'GIT~1',
  'ENV~12.TXT',
  'nul',
  'NUL.txt',
  'con.tar.gz',
  'Com1',
  'LPT9.log',
  'com¹',
  'conin$',
  'aux .txt',
  'a?.txt',
  'a*',
])('refuses %j on Windows', (segment) => {
  expect(isOtherOnWindows(segment)).toBe(true)
})

it.each([
  'a.txt',
  'console.js',
  'nullable.ts',
  'com.js',
  'com10.js',
  'a~b.txt',
  '~',
  'auxiliary',
  '.nul',
  'été.txt',
  'a..b',
])('accepts %j on Windows', (segment) => {
  expect(isOtherOnWindows(segment)).toBe(false)
})
