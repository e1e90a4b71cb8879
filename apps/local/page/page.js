import { createInbox } from './inbox.js';

// Your backend has such a route for its signed-in user.
async function getToken() {
  const { token } = await (await fetch('token')).json();
  return token;
}

const session = await (await fetch('session')).json();
const inbox = createInbox({ ...session, getToken });
const components = document.querySelectorAll('belfry-bell, belfry-inbox');
for (const component of components) component.inbox = inbox;

const form = document.querySelector('#send');
const answer = document.querySelector('#answer');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const response = await fetch('send', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(new FormData(form))),
    });
    answer.textContent = JSON.stringify(await response.json(), null, 2);
  } catch {
    answer.textContent = 'The server of this page does not answer. Start it again: npm start';
  }
});

document.querySelector('#language').addEventListener('change', ({ target }) => {
  for (const component of components) {
    component.lang = target.value;
    component.dir = target.value === 'ar' ? 'rtl' : 'ltr';
  }
});

document.querySelector('#theme').addEventListener('change', ({ target }) => {
  document.documentElement.dataset.theme = target.value;
  for (const component of components) component.setAttribute('theme', target.value);
});
