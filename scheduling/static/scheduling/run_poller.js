/* Keeps a run's page fresh every two seconds. Stops when the run has ended, rests while the page is hidden,
   while it is paused, or while something inside it is focused or selected. Without it the page works by reload. */
'use strict';
{
    const region = document.getElementById('run-state');
    const pause = document.getElementById('run-pause');
    const announcement = document.getElementById('run-announcement');
    let timer = null;
    let paused = false;

    const finish = state => {
        clearInterval(timer);
        pause.hidden = true;
        const cancel = document.getElementById('run-cancel');
        if (cancel) {
            cancel.hidden = true;
        }
        const restart = document.getElementById('run-restart');
        if (restart) {
            restart.hidden = false;
        }
        announcement.textContent = announcement.dataset.ended.replace('{state}', state);
    };

    const refresh = async () => {
        if (paused || document.hidden || Renewal.inUse(region)) {
            return;
        }
        const response = await fetch(region.dataset.poll, {headers: {'X-Requested-With': 'fetch'}}).catch(() => null);
        if (!response || !response.ok || response.redirected) {
            return;
        }
        const parsed = new DOMParser().parseFromString(await response.text(), 'text/html');
        const fresh = parsed.body.firstElementChild;
        if (!fresh || !fresh.dataset.state) {
            return;
        }
        Renewal.put(region, fresh);
        const heading = document.querySelector('#content h1');
        heading.textContent = fresh.dataset.title;
        document.title = `${fresh.dataset.title} | Staging Scheduler`;
        if (fresh.dataset.final === 'yes') {
            finish(fresh.dataset.state);
        }
    };

    if (region && region.dataset.poll) {
        pause.hidden = false;
        pause.addEventListener('click', () => {
            paused = !paused;
            pause.setAttribute('aria-pressed', String(paused));
        });
        timer = setInterval(refresh, 2000);
    }
}
