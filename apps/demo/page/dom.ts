type Child = Node | string

/** Returns the element with this ID. @throws {Error} if the page does not contain it */
export function byId(id: string): HTMLElement
/** Returns the element with this ID and class. @throws {Error} if the page does not contain it */
export function byId<T extends HTMLElement>(id: string, kind: new () => T): T
export function byId(id: string, kind: new () => HTMLElement = HTMLElement): HTMLElement {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}`)
  return element
}

/** Creates an element. Text becomes text nodes, so that text from a request is never parsed as HTML. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<Pick<HTMLElement, 'className' | 'textContent' | 'id' | 'title'>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** Sets an element's text only if it differs, which saves the browser work. */
export function setText(element: Element | null | undefined, text: string): void {
  if (element !== null && element !== undefined && element.textContent !== text) element.textContent = text
}

/** Marks one button in a group as pressed. */
export function press(group: Element, isPressed: (button: HTMLButtonElement) => boolean): void {
  for (const button of group.querySelectorAll('button')) button.ariaPressed = String(isPressed(button))
}

/** A cleared canvas, measured in CSS pixels. */
export interface Surface {
  readonly g: CanvasRenderingContext2D
  readonly width: number
  readonly height: number
}

/** Returns the context of a canvas at screen resolution; `undefined` while the canvas is not shown. */
export function surface(canvas: HTMLCanvasElement): Surface | undefined {
  const { clientWidth: width, clientHeight: height } = canvas
  const g = canvas.getContext('2d')
  if (g === null || width === 0 || height === 0) return undefined
  // Large screens zoom the page, and the canvas needs proportionally more pixels.
  const zoom = canvas.getBoundingClientRect().width / width || 1
  const ratio = (window.devicePixelRatio || 1) * zoom
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h })
  g.setTransform(ratio, 0, 0, ratio, 0, 0)
  g.globalAlpha = 1
  g.clearRect(0, 0, width, height)
  return { g, width, height }
}

/** Refusal of a request from the page, with the response text. */
export class PostError extends Error {
  override readonly name = 'PostError'
  /** Seconds after which the server will accept the request; 0 if the response does not state it. */
  readonly retryAfterS: number

  constructor(message: string, retryAfterS: number) {
    super(message)
    this.retryAfterS = retryAfterS
  }
}

/** Sends a request that changes the server's state. @throws {PostError} if the server refuses it */
export async function post(path: string): Promise<unknown> {
  const response = await fetch(path, { method: 'POST' })
  const text = await response.text()
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  if (response.ok) return body
  const { detail, title } = (body ?? {}) as { detail?: string; title?: string }
  throw new PostError(detail ?? title ?? `Status ${response.status}`, Number(response.headers.get('retry-after')))
}
