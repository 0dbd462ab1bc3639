/* Shows only the fieldsets of the chosen mode and schedule type, and keeps the preview fresh while people type.
   Without it all fieldsets are shown and the server ignores those of the other modes. */
'use strict';
{
    const form = document.querySelector('#schedulerconfiguration_form, #plan_form');
    const preview = document.getElementById('preview');
    const status = document.getElementById('preview-status');
    const byId = id => document.getElementById(id);

    const isChosen = name => [...form.querySelectorAll(`[name="${name}"]`)].some(
        field => field.checked || (field.selectedOptions && field.selectedOptions.length > 0)
            || (field.type === 'textarea' && field.value.trim() !== ''));

    const chosenMode = () => {
        const radio = form.querySelector('input[name="processing_mode"]:checked');
        if (radio) {
            return radio.value;
        }
        // A plan has no mode to choose: its schedule type says whether it is scheduled, what it runs after if triggered.
        if (form.elements.schedule_type && form.elements.schedule_type.value) {
            return 'scheduled';
        }
        return ['after_plans', 'after_entities'].some(isChosen) ? 'triggered' : '';
    };

    const fits = (fieldset, prefix, chosen) => {
        const wanted = [...fieldset.classList].filter(name => name.startsWith(prefix));
        return wanted.length === 0 || wanted.includes(prefix + chosen);
    };

    // Fields that only some answers to another field need.
    const askedFor = [
        ['interval_start', 'interval_anchor', ['start']],
        ['catch_up_limit', 'catch_up', ['all']],
        ['catch_up_window_minutes', 'catch_up', ['last', 'all']],
    ];

    const showFitting = () => {
        const type = form.elements.schedule_type ? form.elements.schedule_type.value : '';
        form.querySelectorAll('fieldset.module').forEach(fieldset => {
            const shown = fits(fieldset, 'for-mode-', chosenMode()) && fits(fieldset, 'for-type-', type);
            fieldset.hidden = !shown;
            fieldset.disabled = !shown;
        });
        askedFor.forEach(([name, other, answers]) => {
            const row = form.querySelector(`.field-${name}`);
            if (row && form.elements[other]) {
                row.hidden = !answers.includes(form.elements[other].value);
            }
        });
    };

    const line = fire => {
        const item = document.createElement('li');
        const time = document.createElement('time');
        time.dateTime = fire.at;
        time.textContent = fire.text;
        item.append(time, ` (${fire.relative})`);
        if (fire.note) {
            const note = document.createElement('strong');
            note.textContent = fire.note;
            item.append(': ', note);
        }
        return item;
    };

    const show = answer => {
        const problems = Object.values(answer.errors).flat();
        byId('preview-sentence').textContent = answer.sentence;
        byId('preview-fires').replaceChildren(...answer.fires.map(line));
        byId('preview-fires-frame').hidden = answer.fires.length === 0;
        byId('preview-problem').textContent = problems.join(' ');
        byId('preview-problem').hidden = problems.length === 0;
        status.textContent = problems.length ? problems.join(' ') : answer.sentence;
    };

    let asked = 0;
    const refresh = async () => {
        const mine = ++asked;
        const sent = {method: 'POST', body: new FormData(form), headers: {'X-Requested-With': 'fetch'}};
        const response = await fetch(preview.dataset.url, sent).catch(() => null);
        // Only the newest question may answer, or a slow old answer would overwrite it.
        if (response && response.ok && !response.redirected && mine === asked) {
            show(await response.json());
        }
    };

    let timer = null;
    const changed = event => {
        const shaping = ['processing_mode', 'schedule_type', 'after_plans', 'after_entities'];
        if ([...shaping, ...askedFor.map(row => row[1])].includes(event.target.name)) {
            showFitting();
        }
        if (preview.dataset.url) {
            clearTimeout(timer);
            timer = setTimeout(refresh, 350);
        }
    };

    if (form && preview && form.elements.schedule_type) {
        showFitting();
        // Coming back with the browser's button, what was typed is restored after this script ran.
        window.addEventListener('pageshow', () => {
            showFitting();
            if (preview.dataset.url) {
                refresh();
            }
        });
        form.addEventListener('input', changed);
        form.addEventListener('change', changed);
    }
}
