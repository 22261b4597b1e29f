import type { LaneResult, RaceKind, RaceMessage } from '../../src/live/messages.ts'
import { colors } from '../colors.ts'
import { byId, el, post, press, setText, surface } from '../dom.ts'
import { milliseconds } from '../format.ts'
import { isStill } from '../motion.ts'
import { raceWords } from '../race-words.ts'

/** Seconds in which a race is shown, however short it was. */
const SHOW_S = 1.6
const LANES = ['h1', 'h2', 'h3'] as const
const NAMES: Readonly<Record<RaceKind, readonly string[]>> = {
  files: ['h1', 'h2', 'h3'],
  one: ['h1', 'h2', 'h3'],
  echo: ['SSE', 'WS', 'WT'],
}

/** The race: the same requests over each protocol, a line for each. The server's own clients run it. */
export class Race {
  readonly #lanes = [...byId('lanes').children]
  readonly #words = byId('raced')
  readonly #button = byId('go', HTMLButtonElement)
  readonly #results = new Map<RaceKind, RaceMessage>()
  #kind: RaceKind = 'files'
  #shown = 1
  #isRunning = false
  #isOffered = true

  constructor() {
    const kinds = byId('kind')
    kinds.addEventListener('click', ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return
      this.#kind = (target.dataset['kind'] ?? 'files') as RaceKind
      press(kinds, (button) => button === target)
      this.#show()
    })
    this.#button.addEventListener('click', () => void this.run())
    this.#say('', 'A page cannot choose its protocol, so clients of the server run this race against it.')
  }

  offer(isOffered: boolean): void {
    this.#isOffered = isOffered
    this.#button.disabled = !isOffered
    if (!isOffered) this.#say('', 'The race is off here: worker processes have no clients of their own.')
  }

  /** Runs the chosen race. */
  async run(): Promise<void> {
    if (this.#isRunning || !this.#isOffered) return
    this.#isRunning = true
    this.#button.disabled = true
    this.#say('', 'Running …')
    try {
      const kind = this.#kind
      this.#results.set(kind, (await post(`/api/live/race/${kind}`)) as RaceMessage)
      if (kind === this.#kind) this.#show()
    } catch (error) {
      this.#say('', `No race: ${error instanceof Error ? error.message : String(error)}.`)
    }
    this.#isRunning = false
    this.#button.disabled = false
  }

  /** Takes a race that another page or the server started. */
  take(result: RaceMessage): void {
    const isNew = !this.#isRunning && this.#results.get(result.kind) === undefined
    this.#results.set(result.kind, result)
    if (!isNew) return
    if (result.kind === this.#kind) this.#show()
  }

  /** Advances the shown race. */
  draw(seconds: number): void {
    if (this.#shown >= 1) return
    this.#shown = Math.min(1, this.#shown + seconds / SHOW_S)
    this.paint()
    if (this.#shown >= 1) this.#sayResult()
  }

  /** Draws the lanes up to the current time of the race. */
  paint(): void {
    const result = this.#results.get(this.#kind)
    const longest = Math.max(0.01, ...(result?.lanes ?? []).flatMap(({ spans }) => spans.map(([, to]) => to)))
    for (const [n, lane] of this.#lanes.entries()) {
      const [name, canvas, time] = lane.children
      setText(name, NAMES[this.#kind][n] ?? '')
      const own = result?.lanes[n]
      const isOver = own !== undefined && this.#shown * longest >= own.totalMs
      setText(time, own === undefined ? '' : own.absent !== undefined ? 'off' : isOver ? milliseconds(own.totalMs) : '')
      if (canvas instanceof HTMLCanvasElement) this.#paintLane(canvas, n, own, longest)
    }
  }

  #show(): void {
    const result = this.#results.get(this.#kind)
    this.#shown = isStill() || result === undefined ? 1 : 0
    this.paint()
    if (result === undefined) this.#say('', 'Not run yet.')
    else if (this.#shown === 1) this.#sayResult()
    else this.#say('', `Off they go, ${slowness(result)} times slower than it was …`)
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

  #paintLane(canvas: HTMLCanvasElement, n: number, lane: LaneResult | undefined, longest: number): void {
    const target = surface(canvas)
    if (target === undefined || lane === undefined) return
    const { g, width, height } = target
    const now = this.#shown * longest
    const spans = lane.spans.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
    const gap = (height - 6) / Math.max(1, spans.length)
    g.fillStyle = colors[LANES[n] ?? 'h1']
    for (const [at, [from, to]] of spans.entries()) {
      if (now < from) continue
      g.globalAlpha = now >= to ? 1 : 0.5
      const long = Math.max(1.5, ((Math.min(now, to) - from) / longest) * width)
      const thick = spans.length === 1 ? height - 6 : Math.max(0.55, gap * 0.62)
      g.fillRect((from / longest) * width, 3 + at * gap, long, thick)
    }
  }
}

function slowness({ lanes }: RaceMessage): number {
  const longest = Math.max(0.01, ...lanes.flatMap(({ spans }) => spans.map(([, to]) => to)))
  return Math.max(1, Math.round((SHOW_S * 1000) / longest))
}
