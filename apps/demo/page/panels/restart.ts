import {
  FLEET_HISTORY,
  PROCESS_STATES,
  type FleetHistory,
  type FleetMessage,
  type ProcessState,
} from '../../src/live/messages.ts'
import { colors } from '../colors.ts'
import { byId, post, setText, surface } from '../dom.ts'
import { count } from '../format.ts'

const CLASSES = { starts: 'proc start', serves: 'proc', drains: 'proc drain' } as const
/** Minimum share of the height that the rate occupies. */
const RATE_SHARE = 0.36
/** Height of a process in pixels. On a taller canvas, the rate occupies the remaining height. */
const MAX_LANE = 22
const LANES = 4

/** Four processes that are replaced one by one while requests arrive. */
export class Restart {
  readonly #boxes = [...byId('procs').children]
  readonly #canvas = byId('gantt', HTMLCanvasElement)
  readonly #button = byId('restart', HTMLButtonElement)
  #past: (readonly [rate: number, states: string])[] = []
  #zero: { answered: number; failed: number } | undefined
  #isOffered = true

  constructor() {
    this.#button.addEventListener('click', () => void this.run())
  }

  offer(isOffered: boolean): void {
    this.#isOffered = isOffered
    this.#button.disabled = !isOffered
    if (!isOffered) setText(byId('rstate'), 'off here')
  }

  /** Replaces all processes. */
  async run(): Promise<void> {
    if (!this.#isOffered || this.#button.disabled) return
    this.#button.disabled = true
    try {
      await post('/api/live/restart')
    } catch (error) {
      setText(byId('rstate'), error instanceof Error ? error.message : String(error))
      this.#button.disabled = false
    }
  }

  /** Adopts the fleet's history if it is longer than the history that this page has received. */
  welcome(history: FleetHistory): void {
    if (history.length >= this.#past.length) this.#past = [...history]
    this.draw()
  }

  update(message: FleetMessage): void {
    const { port, processes, rate, answered, failed, replaced } = message
    this.#past.push([rate, processes.map(({ state }) => PROCESS_STATES.indexOf(state)).join('')])
    if (this.#past.length > FLEET_HISTORY) this.#past.shift()
    // After a restart, the demo counts from zero again.
    if (this.#zero === undefined || answered < this.#zero.answered) this.#zero = { answered, failed }
    for (const [n, process] of processes.entries()) this.#drawProcess(n, process)
    const isReady = processes.every(({ state }) => state === 'serves')
    setText(byId('failed'), count(failed - this.#zero.failed))
    byId('failed').className = failed > this.#zero.failed ? 'bad' : ''
    setText(byId('answered'), `of ${count(answered - this.#zero.answered)} since page load`)
    if (this.#isOffered) {
      const state =
        replaced === undefined ? (isReady ? `4 processes, port ${port}` : 'starting') : `replacing ${replaced + 1} of 4`
      setText(byId('rstate'), state)
      this.#button.disabled = replaced !== undefined || !isReady
    }
    this.draw()
  }

  draw(): void {
    const target = surface(this.#canvas)
    if (target === undefined) return
    const { g, width, height } = target
    const step = width / FLEET_HISTORY
    const left = (n: number): number => width - (this.#past.length - n) * step
    const tall = Math.min(MAX_LANE, (height * (1 - RATE_SHARE) - 4) / LANES)
    const flat = height - tall * LANES - 4
    const top = Math.max(1, ...this.#past.map(([rate]) => rate)) * 1.2
    // Draw bars for the time before the first message.
    g.fillStyle = colors.line
    const seen = Math.max(0, left(0) - 1)
    for (let place = 0; place < LANES; place++) g.fillRect(0, flat + 4 + place * tall, seen, tall - 3)
    g.beginPath()
    for (const [n, [rate]] of this.#past.entries()) g.lineTo(left(n), flat - 2 - (rate / top) * (flat - 4))
    g.strokeStyle = colors.text
    g.lineWidth = 1.5
    g.stroke()
    for (const [n, [, states]] of this.#past.entries()) {
      for (const [place, digit] of states.split('').entries()) {
        const state = PROCESS_STATES[Number(digit)]
        g.fillStyle = state === 'serves' ? colors.h3 : state === 'drains' ? colors.warn : colors.h2
        g.globalAlpha = state === 'serves' ? 0.5 : 1
        const x = Math.round(left(n))
        g.fillRect(x, flat + 4 + place * tall, Math.round(left(n + 1)) - x, tall - 3)
      }
    }
  }

  #drawProcess(n: number, { pid, state, inFlight }: ProcessState): void {
    const box = this.#boxes[n]
    if (box === undefined) return
    box.className = CLASSES[state]
    const [number, label, process] = box.children
    setText(number, state === 'starts' ? '…' : String(inFlight))
    setText(label, state === 'serves' ? 'in flight' : state)
    setText(process, pid === 0 ? 'process' : String(pid))
  }
}
