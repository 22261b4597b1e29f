import { launchChromium, testCertificate } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LARGE, startInterop, type InteropServer } from './interop-server.ts'

type Browser = Awaited<ReturnType<typeof launchChromium>>

let server: InteropServer
let browser: Browser
let page: Awaited<ReturnType<Browser['newPage']>>

beforeAll(async () => {
  server = await startInterop('<title>a page</title>')
  browser = await launchChromium({ spki: (await testCertificate()).spkiSha256 })
  page = await browser.newPage()
  await page.goto(`${server.origin}/`)
})
afterAll(async () => {
  await browser.close()
  await server[Symbol.asyncDispose]()
})

/** Runs the body of an asynchronous function in the page. */
function inPage(script: string): Promise<unknown> {
  return page.evaluate(`(async () => { ${script} })()`)
}

/** The protocol by which the page gets a path now. */
function nextHop(path: string): Promise<unknown> {
  return inPage(`
    const url = new URL('${path}?' + Math.random(), location.href)
    await (await fetch(url)).arrayBuffer()
    return performance.getEntriesByName(url.href)[0].nextHopProtocol`)
}

describe('Chromium', () => {
  it('comes by HTTP/2, reads alt-svc, and goes on by HTTP/3 on the port of the same number', async () => {
    expect(server.protocols[0]).toBe('HTTP/2.0')
    await expect.poll(() => nextHop('/large')).toBe('h3')
    expect(server.protocols).toContain('HTTP/3.0')
    expect(await nextHop('/')).toBe('h3')
  })

  it('gets 1 MiB, and 100 responses at once', async () => {
    expect(
      await inPage(`
        const large = await (await fetch('/large')).arrayBuffer()
        const many = await Promise.all(Array.from({ length: 100 }, async () => (await fetch('/nothing')).status))
        return [large.byteLength, many.filter((status) => status === 204).length]`),
    ).toEqual([LARGE.length, 100])
  })

  it('sends 1 MiB and gets them back', async () => {
    expect(
      await inPage(`
        const body = new Uint8Array(${LARGE.length}).map((_, i) => i % 251)
        const echoed = new Uint8Array(await (await fetch('/echo', { method: 'POST', body })).arrayBuffer())
        return [echoed.length, echoed.every((byte, i) => byte === i % 251)]`),
    ).toEqual([LARGE.length, true])
  })

  it('sees the response to a body that nobody reads', async () => {
    expect(
      await inPage(`
        const response = await fetch('/refused', { method: 'POST', body: new Uint8Array(3_000_000) })
        return [response.status, await response.text()]`),
    ).toEqual([403, 'no'])
  })

  it('gets events as they are sent, and closes their stream, of which the handler hears', async () => {
    expect(
      await inPage(`
        return new Promise((resolve) => {
          const got = []
          const source = new EventSource('/ticks')
          source.addEventListener('message', (event) => {
            if (got.push(event.data) < 5) return
            source.close()
            resolve(got)
          })
        })`),
    ).toEqual(['0', '1', '2', '3', '4'])
    await expect.poll(() => server.ends).toEqual([expect.objectContaining({ status: 200, aborted: true })])
  })

  it('is told that a response breaks off', async () => {
    expect(await inPage(`return (await fetch('/broken')).text().then(() => 'whole', (error) => error.name)`)).toBe(
      'TypeError',
    )
  })

  it('used nothing but HTTP/3 once it had found it', () => {
    const since = server.protocols.slice(server.protocols.lastIndexOf('HTTP/2.0') + 1)
    expect(since.length).toBeGreaterThan(100)
    expect(new Set(since)).toEqual(new Set(['HTTP/3.0']))
  })
})
