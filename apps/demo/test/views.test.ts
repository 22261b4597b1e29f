import { mkdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { launchChromium, tempFolder, type TempFolder } from '@fw/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DemoProcess } from './demo-process.ts'
import { findProblems } from './view-problems.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
/** The pictures for a person to look at. Git ignores them. */
const PICTURES = fileURLToPath(new URL('../screenshots/', import.meta.url))
/** A busy machine needs many seconds to start four processes. */
const PATIENCE_MS = 120_000
/** The rules that the page keeps. */
const RULES: AxeRules = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}
const CONTRAST: AxeRules = { type: 'rule', values: ['color-contrast'] }
const SCHEMES = ['dark', 'light'] as const
const WIDE = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
]
const PHONE = { width: 390, height: 844 }

let browser: Browser
let folder: TempFolder
const demos: DemoProcess[] = []
beforeAll(async () => {
  browser = await launchChromium()
  folder = await tempFolder()
  await rm(PICTURES, { recursive: true, force: true })
  await mkdir(PICTURES, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  for (const demo of demos) await demo.end('SIGKILL')
  await folder?.[Symbol.asyncDispose]()
})

/** A page, and the problems of its views so far. */
class Views {
  readonly page: Page
  readonly isPhone: boolean
  readonly problems: string[] = []

  private constructor(page: Page, isPhone: boolean) {
    this.page = page
    this.isPhone = isPhone
    page.on('console', (message) => {
      // A killed server leaves the network errors that the test wants.
      if (message.type() === 'error' && !message.text().includes('net::ERR_')) this.problems.push(message.text())
    })
    page.on('pageerror', (error) => this.problems.push(error.message))
  }

  static async open(origin: string, isPhone: boolean): Promise<Views> {
    const viewport = isPhone ? PHONE : (WIDE[0] ?? PHONE)
    const context = await browser.newContext({
      viewport,
      hasTouch: isPhone,
      isMobile: isPhone,
      reducedMotion: 'reduce',
    })
    context.setDefaultTimeout(PATIENCE_MS)
    const views = new Views(await context.newPage(), isPhone)
    await views.page.goto(`${origin}/`)
    await views.says('#state', 'live')
    // The policy of the page forbids injected scripts, but not those of the debugger.
    await views.page.evaluate(await readFile(AXE, 'utf8'))
    return views
  }

  /** Waits until an element has a text. */
  async says(selector: string, text: string): Promise<void> {
    await this.page.waitForFunction(([each, part]) => document.querySelector(each)?.textContent?.includes(part), [
      selector,
      text,
    ] as const)
  }

  /** Shows a panel. A wide page shows all of them. */
  async show(view: string): Promise<void> {
    if (this.isPhone) await this.page.click(`#tabs [data-view=${view}]`)
  }

  /** Starts to measure layout shifts. Returns a function that returns their sum. */
  async shifts(): Promise<() => Promise<number>> {
    await this.page.evaluate(() => {
      const shifts: number[] = []
      Object.assign(window, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
      }).observe({ type: 'layout-shift' })
    })
    return () => this.page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.reduce((a, b) => a + b, 0))
  }

  /**
   * Takes a picture of the page in both schemes at its widths, and looks for problems.
   *
   * @param part The part whose colors can have changed since the last picture
   */
  async look(name: string, part: string, rules: AxeRules = CONTRAST): Promise<void> {
    for (const viewport of this.isPhone ? [PHONE] : WIDE) {
      if (!this.isPhone) await this.page.setViewportSize(viewport)
      for (const colorScheme of SCHEMES) {
        await this.page.emulateMedia({ colorScheme })
        // The page draws its canvases in the next frame.
        await this.page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        )
        const view = `${name}-${viewport.width}-${colorScheme}`
        await this.page.screenshot({ path: `${PICTURES}${view}.png`, fullPage: !this.isPhone && part !== 'dialog' })
        // Both schemes have the same boxes.
        const found = colorScheme === 'dark' ? await this.page.evaluate(findProblems, this.isPhone) : []
        found.push(...(await this.#violations(part, rules)))
        this.problems.push(...found.map((problem) => `${view}: ${problem}`))
      }
    }
  }

  async #violations(part: string, rules: AxeRules): Promise<string[]> {
    return this.page.evaluate(
      async ([selector, runOnly]) => {
        const { axe } = window as unknown as { axe: Axe }
        const { violations } = await axe.run(selector, { runOnly })
        return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(' ')}`))
      },
      [part, rules] as const,
    )
  }
}

interface AxeRules {
  readonly type: 'rule' | 'tag'
  readonly values: readonly string[]
}

interface Axe {
  run(part: string, options: object): Promise<{ violations: { id: string; nodes: { target: readonly string[] }[] }[] }>
}

async function startDemo(traffic: string): Promise<{ demo: DemoProcess; origin: string }> {
  const demo = new DemoProcess({
    DEMO_PORT: '0',
    DEMO_TLS_PORT: '0',
    DEMO_TRAFFIC: traffic,
    DEMO_DATA_DIR: folder.join(traffic),
  })
  demos.push(demo)
  const { cleartext } = await demo.addresses()
  return { demo, origin: `http://127.0.0.1:${cleartext.port}` }
}

describe.each([
  ['a desktop', false],
  ['a phone', true],
])('every view of the page on %s', (_name, isPhone) => {
  let origin: string
  let demo: DemoProcess
  let views: Views
  beforeAll(async () => {
    ;({ demo, origin } = await startDemo('gentle'))
    views = await Views.open(origin, isPhone)
    await views.says('#rstate', 'port')
    await views.says('#kpis .kpi:nth-child(2)', 'p99')
  })
  beforeEach(() => void views.problems.splice(0))
  afterAll(() => views?.page.context().close())

  it('has readable text, cuts nothing off and leaves no panel blank', async () => {
    if (isPhone) await views.look('live', 'body')
    await views.page.keyboard.press('h')
    await views.says('#t-life', 'GET /api/hello/you')
    await views.show('life')
    await views.look('life', 'body')
    await views.page.keyboard.press('?')
    await views.look('keys', 'dialog')
    await views.page.keyboard.press('Escape')
    expect(views.problems).toEqual([])
  })

  it('shows each kind of race', async () => {
    await views.show('race')
    await views.says('#raced', 'new connections')
    await views.look('race-files', '.race')
    for (const [kind, text] of [
      ['one', 'One request'],
      ['echo', 'One message'],
    ] as const) {
      await views.page.click(`#kind [data-kind=${kind}]`)
      await views.says('#raced', text)
      await views.look(`race-${kind}`, '.race')
    }
    expect(views.problems).toEqual([])
  })

  it('shows what faults did', async () => {
    await views.show('break')
    for (const [fault, text] of [
      ['throw', 'on purpose'],
      ['sleep', 'timeoutMs aborted'],
    ] as const) {
      await views.page.click(`[data-fault=${fault}]`)
      await views.says('#broke', text)
      await views.look(`break-${fault}`, '.break')
    }
    expect(views.problems).toEqual([])
  })

  it('shows a restart of the processes, and then the loss of the stream without moving', async () => {
    await views.show('restart')
    await views.page.keyboard.press('3')
    await views.says('#rstate', 'replacing')
    await views.look('restart', '.restart')
    await views.show('live')
    const shift = await views.shifts()
    await demo.end('SIGKILL')
    await views.says('#state', 'restarting')
    expect(await shift()).toBe(0)
    await views.look('lost', 'body', RULES)
    expect(views.problems).toEqual([])
  })
})

describe('the page without traffic', () => {
  it('says how to begin', async () => {
    const { origin } = await startDemo('off')
    for (const isPhone of [false, true]) {
      const views = await Views.open(origin, isPhone)
      await views.says('#list', '/live.js')
      await views.says('#raced', 'new connections')
      await views.says('#kpis .kpi:nth-child(2)', '–')
      await views.look('empty', 'body')
      expect(await views.page.textContent('#list')).not.toContain('/race/')
      await views.page.click('#hello')
      await views.says('#t-life', 'GET /api/hello/you')
      expect(views.problems).toEqual([])
      await views.page.context().close()
    }
  })
})
