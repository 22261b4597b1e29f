import { expect, it } from 'vitest'
import { missingExtension } from './missing-extension.ts'

it.each([
  ['ctx', 'sse', "ctx.sse() is not installed. Add: import '@fw/sse/register'"],
  ['router', 'staticFiles', "router.staticFiles() is not installed. Add: import '@fw/static/register'"],
] as const)('names the import that installs %s.%s()', (receiver, name, message) => {
  expect(missingExtension(receiver, name).message).toBe(message)
})
