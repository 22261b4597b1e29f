import type { FleetMessage, ProcessState } from '../../src/live/messages.ts'
import { colors } from '../colors.ts'
import { byId, post, setText, surface } from '../dom.ts'
import { count } from '../format.ts'

/** Messages behind the picture: 24 s at five messages a second. */
const KEPT = 120
const CLASSES = { starts: 'proc start', serves: 'proc', drains: 'proc drain' } as const
/** Share of the height for the rate. */
const RATE_SHARE = 0.36

/** Four processes that are replaced one by one while requests arrive. */
export class Restart {
  readonly #boxes = [...byId('procs').children]
  readonly #canvas = byId('gantt', HTMLCanvasElement)
  readonly #button = byId('restart', HTMLButtonElement)
  readonly #past: FleetMessage[] = []
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

  update(message: FleetMessage): void {
    this.#past.push(message)
    if (this.#past.length > KEPT) this.#past.shift()
    const { port, processes, answered, failed, replaced } = message
    // A restarted demo counts from zero again.
    if (this.#zero === undefined || answered < this.#zero.answered) this.#zero = { answered, failed }
    for (const [n, process] of processes.entries()) this.#drawProcess(n, process)
    const isReady = processes.every(({ state }) => state === 'serves')
    setText(byId('failed'), count(failed - this.#zero.failed))
    byId('failed').className = failed > this.#zero.failed ? 'bad' : ''
    setText(byId('answered'), `of ${count(answered - this.#zero.answered)} since you came`)
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
    const step = width / KEPT
    const left = (n: number): number => width - (this.#past.length - n) * step
    const flat = height * RATE_SHARE
    const tall = (height - flat - 4) / 4
    const top = Math.max(1, ...this.#past.map(({ rate }) => rate)) * 1.2
    g.beginPath()
    for (const [n, { rate }] of this.#past.entries()) g.lineTo(left(n), flat - 2 - (rate / top) * (flat - 4))
    g.strokeStyle = colors.text
    g.lineWidth = 1.5
    g.stroke()
    for (const [n, { processes }] of this.#past.entries()) {
      for (const [place, { state }] of processes.entries()) {
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
