/* Goes on with a bulk action by itself, piece by piece; without it its button does. It waits a moment, so that there is
   time to stop. */
'use strict';
{
    const form = document.getElementById('bulk-goes-on');
    const WAIT = 1000;
    let left = false;

    const goOn = () => {
        if (!left) {
            form.requestSubmit(form.querySelector('button:not([name])'));
        }
    };

    form.addEventListener('submit', () => {
        left = true;
    });
    setTimeout(goOn, WAIT);
}
