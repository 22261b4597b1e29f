import type { LaneResult, ProtocolName, RaceKind, RaceMessage } from '../../src/live/messages.ts'
import { colors } from '../colors.ts'
import { byId, el, post, PostError, press, setText, surface } from '../dom.ts'
import { milliseconds } from '../format.ts'
import { isStill } from '../motion.ts'
import { LANES, LEGENDS, paceWords, raceWords } from '../race-words.ts'

/** Milliseconds between two races, slightly above the server's limit. */
const PAUSE_MS = 5200
/** Seconds in which a race is drawn, however short it was. */
const SHOW_S = 1.6

/**
 * Starts a race on the server and draws a line for each request. Clients on the server send the same requests over each protocol.
 */
export class Race {
  readonly #lanes = [...byId('lanes').children]
  readonly #words = byId('raced')
  readonly #legend = byId('legend')
  readonly #button = byId('go', HTMLButtonElement)
  readonly #results = new Map<RaceKind, RaceMessage>()
  #kind: RaceKind = 'files'
  #shown = 1
  #isRunning = false
  /** Time at which the server accepts another race from this page. */
  #readyAt = 0
  #isOffered = true

  constructor() {
    const kinds = byId('kind')
    kinds.addEventListener('click', ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return
      this.#kind = (target.dataset['kind'] ?? 'files') as RaceKind
      press(kinds, (button) => button === target)
      this.#show()
      void this.run()
    })
    this.#button.addEventListener('click', () => void this.run())
    this.#say('', 'A page cannot choose its protocol, so clients on the server run this race.')
  }

  offer(isOffered: boolean): void {
    this.#isOffered = isOffered
    this.#button.disabled = !isOffered
    if (!isOffered) this.#say('', 'The race is disabled here, because worker processes do not run clients.')
  }

  /** Runs the chosen race. */
  async run(): Promise<void> {
    if (this.#isRunning || !this.#isOffered) return
    this.#isRunning = true
    this.#button.disabled = true
    let kind: RaceKind
    do {
      kind = this.#kind
      await this.#runOne(kind)
      // The visitor can choose another kind in the meantime.
    } while (kind !== this.#kind && !this.#results.has(this.#kind))
    this.#isRunning = false
    this.#button.disabled = false
  }

  async #runOne(kind: RaceKind): Promise<void> {
    const waitMs = this.#readyAt - performance.now()
    if (waitMs > 0) return this.#runLater(kind, Math.ceil(waitMs / 1000))
    this.#readyAt = performance.now() + PAUSE_MS
    this.#say('', 'Running …')
    try {
      this.#results.set(kind, (await post(`/api/live/race/${kind}`)) as RaceMessage)
      if (kind === this.#kind) this.#show()
    } catch (error) {
      if (error instanceof PostError && error.retryAfterS > 0) return this.#runLater(kind, error.retryAfterS)
      this.#say('', `No race: ${error instanceof Error ? error.message : String(error)}.`)
    }
  }

  /** Waits as long as the server requires: all visitors together can start one race every 5 s. */
  async #runLater(kind: RaceKind, seconds: number): Promise<void> {
    this.#say('', `All visitors share one race every 5 s. The next one starts in ${seconds} s …`)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    if (kind === this.#kind) await this.#runOne(kind)
  }

  /** Shows a race that another page or the server started. */
  take(result: RaceMessage): void {
    const isNew = !this.#isRunning && this.#results.get(result.kind) === undefined
    this.#results.set(result.kind, result)
    if (!isNew) return
    if (result.kind === this.#kind) this.#show()
  }

  /** Advances the race. */
  draw(seconds: number): void {
    if (this.#shown >= 1) return
    this.#shown = Math.min(1, this.#shown + seconds / SHOW_S)
    this.paint()
    if (this.#shown >= 1) this.#sayResult()
  }

  /** Draws the lanes up to the current time of the race. */
  paint(): void {
    const result = this.#results.get(this.#kind)
    const longest = longestOf(result)
    for (const [n, lane] of this.#lanes.entries()) {
      const [label, canvas, time] = lane.children
      const [name, protocol] = LANES[this.#kind][n] ?? ['', 'h1']
      setText(label, name)
      lane.className = `lane ${protocol}`
      const own = result?.lanes[n]
      const isOver = own !== undefined && this.#shown * longest >= own.totalMs
      setText(time, own === undefined ? '' : own.absent !== undefined ? 'off' : isOver ? milliseconds(own.totalMs) : '')
      if (canvas instanceof HTMLCanvasElement) this.#paintLane(canvas, protocol, own, longest)
    }
  }

  #show(): void {
    const result = this.#results.get(this.#kind)
    this.#shown = isStill() || result === undefined ? 1 : 0
    this.paint()
    setText(this.#legend, LEGENDS[this.#kind])
    setText(this.#button.firstElementChild, result === undefined ? 'Race' : 'Race again')
    if (result === undefined) this.#say('', 'Not run yet.')
    else if (this.#shown === 1) this.#sayResult()
    else this.#say('', paceWords(longestOf(result), SHOW_S * 1000))
  }

  #sayResult(): void {
    const result = this.#results.get(this.#kind)
    if (result === undefined) return
    const { winner, why } = raceWords(result)
    this.#say(winner, ` ${why}`)
  }

  #say(strong: string, rest: string): void {
    this.#words.replaceChildren(...(strong === '' ? [] : [el('b', { textContent: strong })]), rest)
  }

  #paintLane(canvas: HTMLCanvasElement, protocol: ProtocolName, lane: LaneResult | undefined, longest: number): void {
    const target = surface(canvas)
    if (target === undefined || lane === undefined) return
    const { g, width, height } = target
    const now = this.#shown * longest
    const spans = lane.spans.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
    const gap = (height - 6) / Math.max(1, spans.length)
    g.fillStyle = colors[protocol]
    for (const [at, [from, to]] of spans.entries()) {
      if (now < from) continue
      g.globalAlpha = now >= to ? 1 : 0.5
      const long = Math.max(1.5, ((Math.min(now, to) - from) / longest) * width)
      const thick = spans.length === 1 ? height - 6 : Math.max(0.55, gap * 0.62)
      g.fillRect((from / longest) * width, 3 + at * gap, long, thick)
    }
  }
}

/** Returns the number of milliseconds until the last response. */
function longestOf(result: RaceMessage | undefined): number {
  return Math.max(0.01, ...(result?.lanes ?? []).flatMap(({ spans }) => spans.map(([, to]) => to)))
}
