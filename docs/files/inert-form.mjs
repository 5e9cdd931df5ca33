// Enables the form after it has been visible for 0.8 seconds in which nothing was pressed. Until then, it is gray.
const form = document.querySelector('form[inert]')
let timer
const setInert = (isInert) => {
  form.inert = isInert
  form.style.opacity = isInert ? '0.5' : ''
}
const wait = () => {
  setInert(true)
  clearTimeout(timer)
  timer = setTimeout(setInert, 800, false)
}
wait()
for (const event of ['focus', 'pageshow', 'visibilitychange']) addEventListener(event, wait)
for (const event of ['pointerdown', 'keydown']) addEventListener(event, () => form.inert && wait())
