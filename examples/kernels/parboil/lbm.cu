// One step of a lattice-Boltzmann flow (D3Q19) with all distributions of one direction side by side: each
// thread collides one cell and streams the results to the neighbours. Obstacles send back what comes in. The
// lattice has a margin of two planes before and after, so that no neighbour lies outside. A CTA has a row.
#include "cuda.hpp"

extern "C" __global__ void lbm(float const* from, float* to, unsigned char const* obstacle, int row,
                               int plane, int nz, float omega) {
    int const size = plane * nz;
    int const cell = threadIdx.x + blockIdx.x * row + blockIdx.y * plane;
    float const* in = from + 2 * plane + cell;
    float* out = to + 2 * plane + cell;
    int const pitch = size + 4 * plane; // from one direction to the next

    float const c = in[0 * pitch];
    float const n = in[1 * pitch], s = in[2 * pitch], e = in[3 * pitch], w = in[4 * pitch];
    float const t = in[5 * pitch], b = in[6 * pitch];
    float const ne = in[7 * pitch], nw = in[8 * pitch], se = in[9 * pitch], sw = in[10 * pitch];
    float const nt = in[11 * pitch], nb = in[12 * pitch], st = in[13 * pitch], sb = in[14 * pitch];
    float const et = in[15 * pitch], eb = in[16 * pitch], wt = in[17 * pitch], wb = in[18 * pitch];

    if (obstacle[cell]) {
        out[0 * pitch] = c;
        out[1 * pitch + row] = s;
        out[2 * pitch - row] = n;
        out[3 * pitch + 1] = w;
        out[4 * pitch - 1] = e;
        out[5 * pitch + plane] = b;
        out[6 * pitch - plane] = t;
        out[7 * pitch + row + 1] = sw;
        out[8 * pitch + row - 1] = se;
        out[9 * pitch - row + 1] = nw;
        out[10 * pitch - row - 1] = ne;
        out[11 * pitch + row + plane] = sb;
        out[12 * pitch + row - plane] = st;
        out[13 * pitch - row + plane] = nb;
        out[14 * pitch - row - plane] = nt;
        out[15 * pitch + 1 + plane] = wb;
        out[16 * pitch + 1 - plane] = wt;
        out[17 * pitch - 1 + plane] = eb;
        out[18 * pitch - 1 - plane] = et;
        return;
    }

    float const density =
        c + n + s + e + w + t + b + ne + nw + se + sw + nt + nb + st + sb + et + eb + wt + wb;
    float const ux = (e - w + ne - nw + se - sw + et + eb - wt - wb) / density;
    float const uy = (n - s + ne + nw - se - sw + nt + nb - st - sb) / density;
    float const uz = (t - b + nt - nb + st - sb + et - eb + wt - wb) / density;
    float const still = fmaf(-1.5f, fmaf(uz, uz, fmaf(uy, uy, ux * ux)), 1.0f);
    float const keep = 1.0f - omega;
    float const centre = omega * density * (1.0f / 3);
    float const axis = omega * density * (1.0f / 18);
    float const corner = omega * density * (1.0f / 36);

    // The equilibrium in the direction of velocity u, mixed into what was there.
    auto const relaxed = [=](float was, float weight, float u) {
        return fmaf(keep, was, weight * fmaf(u, fmaf(4.5f, u, 3.0f), still));
    };
    out[0 * pitch] = fmaf(keep, c, centre * still);
    out[1 * pitch + row] = relaxed(n, axis, uy);
    out[2 * pitch - row] = relaxed(s, axis, -uy);
    out[3 * pitch + 1] = relaxed(e, axis, ux);
    out[4 * pitch - 1] = relaxed(w, axis, -ux);
    out[5 * pitch + plane] = relaxed(t, axis, uz);
    out[6 * pitch - plane] = relaxed(b, axis, -uz);
    out[7 * pitch + row + 1] = relaxed(ne, corner, uy + ux);
    out[8 * pitch + row - 1] = relaxed(nw, corner, uy - ux);
    out[9 * pitch - row + 1] = relaxed(se, corner, ux - uy);
    out[10 * pitch - row - 1] = relaxed(sw, corner, -uy - ux);
    out[11 * pitch + row + plane] = relaxed(nt, corner, uy + uz);
    out[12 * pitch + row - plane] = relaxed(nb, corner, uy - uz);
    out[13 * pitch - row + plane] = relaxed(st, corner, uz - uy);
    out[14 * pitch - row - plane] = relaxed(sb, corner, -uy - uz);
    out[15 * pitch + 1 + plane] = relaxed(et, corner, ux + uz);
    out[16 * pitch + 1 - plane] = relaxed(eb, corner, ux - uz);
    out[17 * pitch - 1 + plane] = relaxed(wt, corner, uz - ux);
    out[18 * pitch - 1 - plane] = relaxed(wb, corner, -ux - uz);
}
