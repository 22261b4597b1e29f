import { expect, it } from 'vitest'
import { attachment } from './content-disposition.ts'

it.each([
  ['report.pdf', 'attachment; filename="report.pdf"'],
  ['two words.pdf', 'attachment; filename="two words.pdf"'],
  ['/srv/files/report.pdf', 'attachment; filename="report.pdf"'],
  ['..\\..\\evil.exe', 'attachment; filename="evil.exe"'],
  ['año.pdf', `attachment; filename="a_o.pdf"; filename*=UTF-8''a%C3%B1o.pdf`],
  ['100%.txt', `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`],
  ['a"b.txt', `attachment; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`],
  [`é'()*.txt`, `attachment; filename="_'()*.txt"; filename*=UTF-8''%C3%A9%27%28%29%2A.txt`],
  ['a\r\nx-injected: 1', 'attachment; filename="a__x-injected: 1"'],
  ['a\0\x7f\x85.txt', 'attachment; filename="a___.txt"'],
  ['\u202efdp.exe', 'attachment; filename="_fdp.exe"'],
  ['\u2067é\u2069', `attachment; filename="___"; filename*=UTF-8''_%C3%A9_`],
  ['a\u00adb\u061cc\u180e.txt', 'attachment; filename="a_b_c_.txt"'],
  ['\u200b\u200e\u200f\u2028\u2029.txt', 'attachment; filename="_____.txt"'],
  ['\u2060\u2064\u2066\u206f\ufeff.txt', 'attachment; filename="_____.txt"'],
  ['\u200a\u2010', `attachment; filename="__"; filename*=UTF-8''%E2%80%8A%E2%80%90`],
  ['', 'attachment'],
  ['..', 'attachment'],
  ['reports/', 'attachment'],
  ['...', 'attachment; filename="..."'],
  ['\ud800.txt', `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
])('formats attachment(%j) as %j', (name, value) => {
  expect(attachment(name)).toBe(value)
})
