import type { LogLine, RequestMessage, SourceCode, Stage } from '../../src/live/messages.ts'
import { byId, el } from '../dom.ts'
import { apart } from '../apart.ts'
import { clamp, duration, PROTOCOL_NAMES, tone } from '../format.ts'
import { isStill } from '../motion.ts'
import { tokens } from '../source-tokens.ts'

/** Duration of the replay in seconds. */
const REPLAY_S = 2.2
/** Space to the right of the last bar. */
const MARGIN = 1.02
/** Pixels between the centers of two numbers on the time axis. */
const MARKER_PX = 16
/** Number of lines on the time axis. */
const TICKS = 4
const LEVEL_TONES: Readonly<Record<string, string>> = { warn: 'warn', error: 'bad', fatal: 'bad' }

/** The life of one request: its waterfall in slow motion, its log lines, and the code of its handler. */
export class Life {
  readonly #box = byId('life')
  #sources: Readonly<Record<string, SourceCode>> = {}
  #request: RequestMessage | undefined
  #bars: readonly { readonly bar: HTMLElement; readonly stage: Stage }[] = []
  #lines: readonly { readonly line: HTMLElement; readonly log: LogLine }[] = []
  /** Progress of the replay, from 0 to 1. */
  #played = 1
  #flags: HTMLElement | undefined

  /** The request that the panel shows. */
  get request(): RequestMessage | undefined {
    return this.#request
  }

  welcome(sources: Readonly<Record<string, SourceCode>>): void {
    this.#sources = sources
  }

  show(request: RequestMessage, plays: boolean): void {
    this.#request = request
    const { stages, logs, totalUs } = request
    const percent = (us: number): number => (us / Math.max(1, totalUs * MARGIN)) * 100
    this.#bars = stages.map((stage) => ({ stage, bar: barOf(stage, request, percent) }))
    this.#lines = logs.map((log, n) => ({ log, line: lineOf(log, n + 1) }))
    const falls = el(
      'div',
      { className: 'falls' },
      axis(totalUs * MARGIN),
      ...(request.isReused === true ? [openConnection(request)] : []),
      ...this.#bars.map(({ stage, bar }) =>
        fall(stage.name, el('div', { className: 'track' }, bar), duration(stage.toUs - stage.fromUs)),
      ),
    )
    this.#flags = flags(logs, percent)
    falls.append(this.#flags)
    const replay = el('button', {}, el('span', { textContent: 'Replay' }), el('kbd', { textContent: 'R' }))
    replay.type = 'button'
    replay.addEventListener('click', () => this.replay())
    this.#box.replaceChildren(
      this.#head(request, replay),
      falls,
      el('div', { className: 'under' }, this.#logs(), this.#source(request)),
    )
    this.place()
    this.#played = plays && !isStill() ? 0 : 1
    this.#sweep()
  }

  /** Moves the log line numbers apart. Call it when the size changes. */
  place(): void {
    const width = this.#flags?.clientWidth ?? 0
    if (this.#flags === undefined || width === 0) return
    const markers = [...this.#flags.children].filter((flag) => flag instanceof HTMLElement)
    const wanted = markers.map(({ dataset }) => (Number(dataset['at']) / 100) * width)
    const places = apart(wanted, MARKER_PX, width)
    for (const [n, marker] of markers.entries()) {
      marker.style.setProperty('--push', `${(places[n] ?? 0) - (wanted[n] ?? 0)}px`)
    }
  }

  replay(): void {
    if (this.#request !== undefined && !isStill()) this.#played = 0
  }

  /** Advances the replay. */
  draw(seconds: number): void {
    if (this.#played >= 1) return
    this.#played = Math.min(1, this.#played + seconds / REPLAY_S)
    this.#sweep()
  }

  #sweep(): void {
    const now = this.#played * (this.#request?.totalUs ?? 0)
    for (const { bar, stage } of this.#bars) {
      const share = clamp((now - stage.fromUs) / Math.max(1, stage.toUs - stage.fromUs))
      bar.style.setProperty('--p', String(this.#played >= 1 ? 1 : share))
    }
    for (const { line, log } of this.#lines) line.classList.toggle('off', this.#played < 1 && log.atUs > now + 1)
  }

  #head({ method, path, status, protocol, totalUs, place, by }: RequestMessage, replay: HTMLElement): HTMLElement {
    const sender = { demo: 'sent by the demo', race: 'sent by a race' }[by]
    const facts = [duration(totalUs), place, sender].filter(Boolean).join(' · ')
    const title = el('h2', { id: 't-life', className: 'title', textContent: `${method} ${path}` })
    title.title = path
    return el(
      'div',
      { className: 'head' },
      title,
      el('span', { className: `mono ${tone(status)}`, textContent: String(status) }),
      el('span', { className: protocol, textContent: PROTOCOL_NAMES[protocol] }),
      el('span', { className: 'm facts', textContent: facts }),
      replay,
    )
  }

  #logs(): HTMLElement {
    const lines = this.#lines.map(({ line }) => line)
    if (lines.length === 0) lines.push(el('p', { className: 'm', textContent: 'None.' }))
    return el('div', {}, el('h3', { textContent: 'Log lines it caused' }), ...lines)
  }

  #source({ pattern, logs }: RequestMessage): HTMLElement {
    const code = this.#sources[pattern]
    const file = el('span', { className: 'mono', textContent: code?.file ?? '' })
    const title = el('h3', {}, el('span', { textContent: 'The code that answered' }), file)
    if (code === undefined) {
      const text =
        pattern === '' ? 'No route matched, so the library answered.' : 'This route belongs to the page itself.'
      return el('div', {}, title, el('p', { className: 'm', textContent: text }))
    }
    const lines = code.lines.map((text, n) => {
      const line = el('span', {}, ...tokens(text).map((token) => painted(token)), '\n')
      const log = logs.findIndex(({ sourceLine }) => sourceLine === n)
      if (log === -1) return line
      line.className = 'hot'
      line.dataset['n'] = String(log + 1)
      return line
    })
    const pre = el('pre', {}, ...lines)
    // Lets the keyboard scroll long lines.
    pre.tabIndex = 0
    pre.role = 'region'
    pre.ariaLabel = 'Source code'
    return el('div', {}, title, pre)
  }
}

function painted({ kind, text }: ReturnType<typeof tokens>[number]): Node | string {
  if (kind === 'text') return text
  return el(kind === 'keyword' ? 'u' : 'i', { textContent: text })
}

function barOf(stage: Stage, { protocol }: RequestMessage, percent: (us: number) => number): HTMLElement {
  const bar = el('div', { className: `bar ${stage.kind}` })
  bar.style.setProperty('--a', String(percent(stage.fromUs)))
  bar.style.setProperty('--b', String(percent(stage.toUs)))
  bar.style.setProperty('--c', `var(--${stage.kind === 'app' ? protocol : 'text'})`)
  return bar
}

function fall(name: string, track: HTMLElement, time: string): HTMLElement {
  return el('div', { className: 'fall' }, el('span', { textContent: name }), track, el('span', { textContent: time }))
}

function openConnection({ place }: RequestMessage): HTMLElement {
  const connection = /c\d+$/.exec(place)?.[0] ?? 'It'
  return fall(
    'connection',
    el('div', { className: 'track open m', textContent: `${connection} was open already` }),
    '0 µs',
  )
}

function axis(totalUs: number): HTMLElement {
  const track = el('div', { className: 'track' })
  for (let n = 0; n < TICKS; n++) {
    const tick = el('i', { textContent: n === 0 ? '0' : duration((totalUs * n) / TICKS) })
    tick.style.setProperty('left', `${(n / TICKS) * 100}%`)
    track.append(tick)
  }
  return el('div', { className: 'fall axis' }, el('span'), track, el('span'))
}

function flags(logs: readonly LogLine[], percent: (us: number) => number): HTMLElement {
  const box = el('div', { className: 'flags' })
  for (const [n, { atUs }] of logs.entries()) {
    const flag = el('div', { className: 'flag' })
    flag.dataset['n'] = String(n + 1)
    flag.dataset['at'] = String(percent(atUs))
    flag.style.setProperty('left', `${percent(atUs)}%`)
    box.append(flag)
  }
  return box
}

function lineOf({ level, text, where, atUs }: LogLine, n: number): HTMLElement {
  const first = el('span', { className: LEVEL_TONES[level] ?? 'm', textContent: `${level} ` })
  const place = [where, `at ${duration(atUs)}`].filter(Boolean).join(', ')
  const body = el('div', { title: text }, first, text, el('br'), el('span', { className: 'm', textContent: place }))
  return el('div', { className: 'log' }, el('i', { textContent: String(n) }), body)
}
