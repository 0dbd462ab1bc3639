/* Keeps a part of a page fresh. Its marker, #live, says what to fetch, how often, and the sentences it is told in.
   It looks at nothing while the page is hidden, rests while something inside is focused or selected, can be paused, and
   says so when it stops for good. Without it the page works by reload. */
'use strict';
{
    const live = document.getElementById('live');
    const MOST_FAILURES = 3;

    const follow = () => {
        const region = document.getElementById(live.dataset.region);
        const words = document.getElementById('live-words');
        const button = document.getElementById('live-pause');
        let paused = false;
        let failures = 0;
        let timer = null;

        const tell = text => {
            if (words.textContent !== text) {
                words.textContent = text;
            }
        };
        const stop = text => {
            clearInterval(timer);
            button.hidden = true;
            words.classList.add('live-stopped');
            tell(text);
        };
        const refresh = async () => {
            if (paused || document.hidden) {
                return;
            }
            if (Renewal.inUse(region)) {
                tell(live.dataset.rests);
                return;
            }
            const response = await fetch(live.dataset.poll, {headers: {'X-Requested-With': 'fetch'}}).catch(() => null);
            if (response && response.redirected) {
                stop(live.dataset.signedOut);
                return;
            }
            const text = response && response.ok ? await response.text() : '';
            const fresh = new DOMParser().parseFromString(text, 'text/html').body.firstElementChild;
            if (!fresh || !fresh.dataset.fresh) {
                failures += 1;
                if (failures >= MOST_FAILURES) {
                    stop(live.dataset.stopped);
                }
                return;
            }
            failures = 0;
            if (Renewal.inUse(region) || paused) {
                return;
            }
            Renewal.put(region, fresh);
            tell(live.dataset.on.replace('{time}', fresh.dataset.fresh));
        };

        live.hidden = false;
        button.addEventListener('click', () => {
            paused = !paused;
            button.setAttribute('aria-pressed', String(paused));
            tell(paused ? live.dataset.paused : '');
        });
        document.addEventListener('visibilitychange', () => {
            if (!document.hidden) {
                refresh();
            }
        });
        timer = setInterval(refresh, Number(live.dataset.seconds) * 1000);
    };

    if (live && live.dataset.poll) {
        follow();
    }
}
